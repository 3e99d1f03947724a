// `npm run bench` runs every bench, each in a process of its own; `npm run bench -- NAME…` those whose name has NAME in it.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';

const suffix = '.bench.js';
const wanted = process.argv.slice(2);
const names = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(suffix) && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
  .sort();
if (names.length === 0) {
  console.error(`no bench has ${wanted.join(' or ')} in its name`);
  process.exit(2);
}
const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, ${memory}, Node ${process.version}`);
const failed = names.filter((name) => {
  const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, name)], { stdio: 'inherit' });
  return status !== 0;
});
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
