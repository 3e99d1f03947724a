import type { EmbeddingModel, PassageEmbedding } from '../../services/ports/embedding-model/port.js';

const distinct = 512;

/** A model whose vectors are made beforehand: what is left of a load is the cost of everything else. */
export function createFreeModel(dimensions: number): EmbeddingModel {
  const vectors = Array.from({ length: distinct }, (_, seed) =>
    Float32Array.from({ length: dimensions }, (_, index) => Math.sin((seed + 1) * (index + 1) * 0.7)),
  );
  let next = 0;
  const vector = (): Float32Array => vectors[next++ % distinct] ?? new Float32Array(dimensions);
  return {
    space: { id: `free-${dimensions}`, model: 'free', dimensions },
    fusion: { method: 'rrf', denseWeight: 0.5 },
    maxBatch: 256,
    windows: (texts) => Promise.resolve(texts.map(() => 1)),
    embedPassages: (texts) => Promise.resolve(texts.map((): PassageEmbedding => ({ vector: vector(), windows: 1 }))),
    embedQuery: () => Promise.resolve(vector()),
    close: () => Promise.resolve(),
  };
}
