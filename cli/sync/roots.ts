import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import picomatch from 'picomatch';
import { absoluteGlob, filesOf, rootOf, type Discovered } from '../load/discover.js';
import { UsageError } from '../usage-error.js';

/** A root that can be read now. */
export type OpenRoot = LocalRoot | WebRoot;

export interface WebRoot {
  readonly kind: 'web';
  readonly url: string;
}
export interface LocalRoot {
  readonly kind: 'local';
  /** Every source of this root starts with it. */
  readonly prefix: string;
  /** Whether the root names one file. */
  readonly single: boolean;
  /** Whether a source that starts with the prefix is one of this root's. */
  covers(source: string): boolean;
  /** In byte order of their `file:` URLs. */
  files(): AsyncGenerator<Discovered>;
}

const isUrl = (root: string): boolean => /^https?:\/\//iu.test(root);

/**
 * A root as it is recorded: a URL in its normal form, an absolute path, or a glob that means the same in every folder.
 * Throws UsageError for what can be none.
 */
export async function recordedForm(argument: string, cwd: string): Promise<string> {
  if (isUrl(argument)) {
    if (!URL.canParse(argument)) throw new UsageError(`"${argument}" is not a URL`);
    const url = new URL(argument);
    url.hash = '';
    return url.href;
  }
  const path = resolve(cwd, argument);
  const there = await stat(path).then(
    () => true,
    () => false,
  );
  return !there && picomatch.scan(argument).isGlob ? absoluteGlob(argument, cwd) : path;
}

/** Throws an error whose message says why the root cannot be read. */
export async function openRoot(recorded: string): Promise<OpenRoot> {
  if (isUrl(recorded)) return { kind: 'web', url: recorded };
  const root = await rootOf(recorded, '/');
  const url = pathToFileURL(root.path).href;
  if (root.kind === 'file') {
    return { kind: 'local', prefix: url, single: true, covers: (source) => source === url, files: () => filesOf(root) };
  }
  const { matches } = root;
  return {
    kind: 'local',
    prefix: url.endsWith('/') ? url : `${url}/`,
    single: false,
    covers: matches === undefined ? () => true : (source) => matches(fileURLToPath(source)),
    files: () => filesOf(root),
  };
}
