import { pointId, versionHash } from '../../services/domain/identity.js';
import { defaultLexicalAnalysis } from '../../services/domain/lexical-analysis.js';
import type { Point, VectorScope } from '../../services/ports/vector-store/port.js';

export const scopeOf = (
  collection: string,
  {
    workspace = 'w',
    dimensions = 4,
    space = dimensions === 4 ? 's' : `s${dimensions}`,
  }: { workspace?: string; space?: string; dimensions?: number } = {},
): VectorScope => ({
  workspace,
  collection,
  space: { id: space, model: 'test', dimensions },
  lexical: defaultLexicalAnalysis,
});

export const versionOf = (row: number): string =>
  versionHash({ workspace: 'w', collection: 'c', documentId: `d${row}` }, 1);

/** A point of its own version, with a unit vector of 4 dimensions. */
export function pointOf(row: number, given: Partial<Point> = {}): Point {
  const chunkId = `${versionOf(row)}:0`;
  return {
    pointId: pointId(chunkId),
    chunkId,
    documentId: `d${row}`,
    versionHash: versionOf(row),
    seq: 0,
    source: `file:///${row}.md`,
    vector: Float32Array.of(Math.cos(row), Math.sin(row), 0, 0),
    terms: ['a'],
    attributes: {},
    ...given,
  };
}

/** Points with vectors that look random and are the same in every run, neither of unit length. */
export const randomPoints = (count: number, dimensions: number): Point[] => {
  let state = 42;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return Array.from({ length: count }, (_, row) =>
    pointOf(row, {
      vector: Float32Array.from({ length: dimensions }, next),
      terms: ['common', `word${row}`],
      attributes: { group: row % 10 },
    }),
  );
};

export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let index = 0; index < a.length; index++) {
    const x = a[index] ?? 0;
    const y = b[index] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}
