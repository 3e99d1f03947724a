import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from './durable-files.js';

/**
 * Runs in a process of its own: making a cluster takes more than half a gigabyte, which a worker thread would leave with
 * the process for good, since the allocator keeps what a thread has freed.
 */
const program = `
  const [module, folder] = process.argv.slice(1);
  require(module).PGlite.create(folder).then((database) => database.close());
`;

/**
 * Makes an empty database cluster in `folder`, once. A folder that stands is whole: a half-made one has another name,
 * a new one each time, because its maker may outlive a process that was killed.
 */
export async function createCluster(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await mkdir(dirname(folder), { recursive: true });
  await removeUnfinished(folder);
  const unfinished = await mkdtemp(prefixOfUnfinished(folder));
  const module = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  try {
    await promisify(execFile)(process.execPath, ['--eval', program, module, unfinished]);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`making the catalog in ${folder} failed: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  await rename(unfinished, folder);
  syncFolder(dirname(folder));
}

const prefixOfUnfinished = (folder: string): string => `${folder}.unfinished-`;

/** What was left of attempts that were cut short. One whose maker still writes goes the next time. */
async function removeUnfinished(folder: string): Promise<void> {
  const parent = dirname(folder);
  for (const name of await readdir(parent)) {
    if (!name.startsWith(basename(prefixOfUnfinished(folder)))) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
