#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { run } from './run.js';

const manifest: unknown = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
const version =
  typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';

const interruption = new AbortController();
for (const [name, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(name, () => {
    interruption.abort();
    // A second one ends at once.
    process.once(name, () => process.exit(code));
  });
}
// Started by another sluice, such as eval: its end is ours.
process.once('disconnect', () => interruption.abort());
// The reader went away (`sluice … | head`): nothing is left to say.
process.stdout.on('error', () => process.exit(0));

const exitCode = await run(
  {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interruption.signal,
    exitCode: 0,
  },
  process.argv.slice(2),
  version,
);
process.exitCode = exitCode;
// The channel to the one that started this process would keep it alive.
if (process.connected) process.disconnect();
