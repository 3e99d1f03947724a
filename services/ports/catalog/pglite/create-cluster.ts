import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { compiledFile } from '../../../runtime/workers/compiled-file.js';
import { syncFolder } from './durable-files.js';

const pglite = createRequire(import.meta.url).resolve('@electric-sql/pglite');
const { version } = JSON.parse(readFileSync(join(dirname(pglite), '../package.json'), 'utf8')) as { version: string };

/** An empty cluster of this PGlite, which the build makes: a copy costs a tenth of making one. */
export const emptyCluster = join(
  dirname(compiledFile(new URL('./pglite-worker.js', import.meta.url))),
  `empty-cluster-${version}`,
);

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
  try {
    if (existsSync(emptyCluster)) await cp(emptyCluster, unfinished, { recursive: true });
    else await promisify(execFile)(process.execPath, ['--eval', program, pglite, unfinished]);
    await syncTree(unfinished);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`making the catalog in ${folder} failed: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  await rename(unfinished, folder);
  syncFolder(dirname(folder));
}

/** Makes files and folders durable: PostgreSQL takes for granted that what its log builds upon is there. */
async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).values();
  const work = async (): Promise<void> => {
    for (const file of files) {
      const handle = await open(join(file.parentPath, file.name));
      await handle.datasync().finally(() => handle.close());
    }
  };
  await Promise.all(Array.from({ length: syncsAtOnce }, work));
  for (const entry of entries) if (entry.isDirectory()) syncFolder(join(entry.parentPath, entry.name));
  syncFolder(folder);
}

const syncsAtOnce = 16;

const prefixOfUnfinished = (folder: string): string => `${folder}.unfinished-`;

/** What was left of attempts that were cut short. One whose maker still writes goes the next time. */
async function removeUnfinished(folder: string): Promise<void> {
  const parent = dirname(folder);
  for (const name of await readdir(parent)) {
    if (!name.startsWith(basename(prefixOfUnfinished(folder)))) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
