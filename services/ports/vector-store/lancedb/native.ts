import type * as LanceDb from '@lancedb/lancedb';
import type * as Arrow from 'apache-arrow';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';

/**
 * Lance's pool of CPU threads has "cores − 2" of them. Writing a full-text index keeps one thread while it waits for
 * another, so on a small machine the pool must be larger than that, or the first large index waits for ever.
 */
process.env['LANCE_CPU_THREADS'] ??= String(Math.max(4, availableParallelism() + 2));
/**
 * Building a full-text index gathers up to 2 GB in memory per worker, and there is a worker for every other core. One
 * keeps up, since the terms come as tokens, and it writes every 32 MB out.
 */
process.env['LANCE_FTS_NUM_SHARDS'] ??= '1';
process.env['LANCE_FTS_PARTITION_SIZE'] ??= '32';
/**
 * Rows per batch of a scan. At the default, 8,192, a batch of vectors is 32 MB, and building an index over them keeps
 * several copies of several batches: measured at 1,024 dimensions, 220 MB against 95.
 */
process.env['LANCE_DEFAULT_BATCH_SIZE'] ??= '1024';
/** Reads in flight per scan. Each takes a thread, and a disk in this machine is kept busy by few. */
process.env['LANCE_IO_THREADS'] ??= '4';
/** Otherwise a warning for every query on a table with rows that are not indexed yet. */
process.env['LANCEDB_LOG'] ??= 'error';

/** Loaded after its settings are made; it reads them when it is first used. */
export const lancedb: Pick<typeof LanceDb, 'connect' | 'Index' | 'MatchQuery' | 'Session'> =
  await import('@lancedb/lancedb');

/**
 * The CommonJS build of Arrow, the one that LanceDB loads: it takes tables of no other build as they are.
 */
export const arrow = createRequire(import.meta.url)('apache-arrow') as typeof Arrow;
