import type { Table } from '@lancedb/lancedb';
import { lancedb } from './native.js';

const vectorIndex = 'vector_idx';
/** Up to so many floats a search compares with every vector: 64 MB, some 50 ms. */
export const defaultExactFloats = 2 ** 24;
/** How many rows may have come since an index was built, which are compared one by one: as a share while more come … */
const maxUnindexedShare = 0.5;
/** … and of what is compared without an index anyway when writing has paused. */
const maxUnindexedAtRest = 0.5;
/** Without an index, a table of so many fragments is compacted, which rewrites it: every search opens them all … */
const maxFragments = 256;
/** … and of so many when writing has paused. */
const maxFragmentsAtRest = 16;

/** One partition: nothing near is ever in another. */
export const indexPartitions = 1;

/**
 * How many times as many vectors as are wanted are compared exactly, when codes of one bit per dimension (RaBitQ) have
 * said which are near. Measured on 60,000 hashed texts of 1,024 dimensions with 20: all of the best 10 and 99.9 % of the
 * best 50 are found, in a twentieth of the time. Narrower vectors have coarser codes, and cost less to compare.
 */
export const refineFactor = (dimensions: number): number => Math.min(80, Math.max(20, Math.ceil(20_480 / dimensions)));

export interface Maintenance {
  readonly dimensions: number;
  readonly exactFloats: number;
  readonly cleanupOlderThan: Date;
  /** Whether writing has paused. */
  readonly atRest: boolean;
}

/**
 * Compacts a table of vectors and, when it is large, keeps an index over it. The index is always built anew: LanceDB
 * 0.31 loses a fifth of the nearest when it merges new rows into one of this kind.
 */
export async function maintainVectors(
  table: Table,
  { dimensions, exactFloats, cleanupOlderThan, atRest }: Maintenance,
): Promise<void> {
  const rows = await table.countRows();
  const statistics = await table.indexStats(vectorIndex);
  if (rows * dimensions <= exactFloats) {
    const { fragmentStats } = await table.stats();
    if (fragmentStats.numFragments < (atRest ? maxFragmentsAtRest : maxFragments)) return;
    if (statistics !== undefined) await table.dropIndex(vectorIndex);
    await table.optimize({ cleanupOlderThan });
    return;
  }
  const share = atRest ? (exactFloats / dimensions) * maxUnindexedAtRest : rows * maxUnindexedShare;
  if (statistics !== undefined && statistics.numUnindexedRows <= share) return;
  if (statistics !== undefined) await table.dropIndex(vectorIndex);
  await table.optimize({ cleanupOlderThan });
  const config = lancedb.Index.ivfRq({ numPartitions: indexPartitions, distanceType: 'dot' });
  await table.createIndex('vector', { config });
}
