import type { Table as ArrowTable } from 'apache-arrow';
import { compareBytes } from '../../../domain/identity.js';
import type { ScoredPoint } from '../port.js';

/** Asked beyond the limit, to see whether the cut falls between equal scores. */
const slack = 16;

/**
 * The best `limit` of a search, best first, ties by chunk id in byte order. The engine breaks ties in its own way, so
 * as long as the cut falls between equal scores more are fetched.
 */
export async function bestOf(
  limit: number,
  fetch: (limit: number) => Promise<readonly ScoredPoint[]>,
): Promise<readonly ScoredPoint[]> {
  for (let wanted = limit + slack; ; wanted *= 4) {
    const points = await fetch(wanted);
    const cut = points[limit - 1]?.score;
    if (points.length < wanted || cut !== points.at(-1)?.score) {
      return [...points].sort((a, b) => b.score - a.score || compareBytes(a.chunkId, b.chunkId)).slice(0, limit);
    }
  }
}

export const hitColumns = ['chunk_id', 'document_id', 'version_hash', 'seq', 'source'] as const;

/** The rows of a search as points; `scoreOf` turns the engine's measure into a score. */
export function hitsOf(table: ArrowTable, measure: string, scoreOf: (measured: number) => number): ScoredPoint[] {
  const text = (name: string, row: number): string => String(table.getChild(name)?.get(row));
  const vectors = table.getChild('vector');
  return Array.from({ length: table.numRows }, (_, row) => {
    const versionHash: unknown = table.getChild('version_hash')?.get(row);
    return {
      chunkId: text('chunk_id', row),
      documentId: text('document_id', row),
      ...(typeof versionHash === 'string' ? { versionHash } : {}),
      seq: Number(table.getChild('seq')?.get(row)),
      source: text('source', row),
      score: scoreOf(Number(table.getChild(measure)?.get(row))),
      ...(vectors === null ? {} : { vector: vectorAt(vectors, row) }),
    };
  });
}

/** A copy of the vector in one row, free of the batch that it came in. */
export function vectorAt(column: { get(row: number): unknown }, row: number): Float32Array {
  const value = column.get(row) as { toArray(): Float32Array };
  return Float32Array.from(value.toArray());
}
