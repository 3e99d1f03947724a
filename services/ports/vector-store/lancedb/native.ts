import type * as LanceDb from '@lancedb/lancedb';
import type * as Arrow from 'apache-arrow';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';

/**
 * Lance's pool of CPU threads has "cores − 2" of them. Writing a full-text index keeps one thread while it waits for
 * another, so on a small machine the pool must be larger than that, or the first large index waits for ever.
 */
process.env['LANCE_CPU_THREADS'] ??= String(Math.max(4, availableParallelism() + 2));
/** Otherwise a warning for every query on a table with rows that are not indexed yet. */
process.env['LANCEDB_LOG'] ??= 'error';

/** Loaded after its settings are made; it reads them when it is first used. */
export const lancedb: Pick<typeof LanceDb, 'connect' | 'Index' | 'MatchQuery' | 'Session'> =
  await import('@lancedb/lancedb');

/**
 * The CommonJS build of Arrow, the one that LanceDB loads: it takes tables of no other build as they are.
 */
export const arrow = createRequire(import.meta.url)('apache-arrow') as typeof Arrow;
