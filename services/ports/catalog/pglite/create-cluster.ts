import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { syncFolder } from './durable-files.js';

/** Runs in a worker: the half gigabyte that it takes goes with the worker, and the process stays responsive. */
const program = `
  const { workerData } = require('node:worker_threads');
  const { PGlite } = require(workerData.module);
  PGlite.create(workerData.folder).then((database) => database.close());
`;

/**
 * Makes an empty database cluster in `folder`, once. A folder that stands is whole: a half-made one has another name
 * and is made anew.
 */
export async function createCluster(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const module = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  await new Promise<void>((resolve, reject) => {
    const worker = new Worker(program, { eval: true, workerData: { module, folder: unfinished } });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`making the catalog in ${folder} ended with exit code ${code}`));
    });
  });
  await rename(unfinished, folder);
  syncFolder(dirname(folder));
}
