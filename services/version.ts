import { readFileSync } from 'node:fs';

const packageFile = (): string => {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      return readFileSync(new URL(path, import.meta.url), 'utf8');
    } catch {
      // compiled code stands one folder deeper than its source
    }
  }
  throw new Error('package.json is missing');
};

/** The version of this build. */
export const version: string = (JSON.parse(packageFile()) as { version: string }).version;
