// Records today's schemas as those of the release in package.json: released/<version>/ keeps them and the id of the
// commit they were released from, and every later build reads their messages and is read by theirs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { messageSchemas } from './messages.mjs';

const here = new URL('./', import.meta.url);
const run = (file, ...args) => execFileSync(file, args, { cwd: here, encoding: 'utf8' }).trim();

const { version } = JSON.parse(readFileSync(new URL('../package.json', here), 'utf8'));
const folder = new URL(`released/${version}/`, here);
if (existsSync(folder))
  throw new Error(`schema/released/${version} exists: a release never changes, raise the version`);
if (run('git', 'status', '--porcelain', '--', '.') !== '') {
  throw new Error('schema/ has changes that are not committed: commit them, then release');
}

execFileSync(process.execPath, ['generate.mjs', '--check'], { cwd: here, stdio: 'inherit' });
mkdirSync(folder, { recursive: true });
const write = async (name, text) => {
  const target = new URL(name, folder);
  writeFileSync(target, await format(text, { ...(await resolveConfig(target)), parser: 'json' }));
};
await write('schemas.json', JSON.stringify(messageSchemas()));
await write('release.json', JSON.stringify({ version, commit: run('git', 'rev-parse', 'HEAD') }));
execFileSync(process.execPath, ['generate.mjs'], { cwd: here, stdio: 'inherit' });
