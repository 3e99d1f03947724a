import type { Table as ArrowTable } from 'apache-arrow';
import type { ScoredPoint } from '../port.js';

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
