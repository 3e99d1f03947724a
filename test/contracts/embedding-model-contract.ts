import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddingModel } from '../../services/ports/embedding-model/port.js';
import { cosine } from './vector-store-points.js';

const hostile = ['', ' \n', '<|endoftext|>', '\u0000', '…', '日本語のテキスト', 'a'.repeat(10_000), '𝒳'.repeat(3)];

/** What every embedding model does. */
export function describeEmbeddingModelContract(name: string, open: () => Promise<EmbeddingModel>): void {
  describe(`embedding model contract: ${name}`, () => {
    let model: EmbeddingModel;

    beforeAll(async () => void (model = await open()));
    afterAll(() => model.close());

    it('gives one vector per text, in order, of the width of its space, finite, of unit length or zero', async () => {
      const texts = ['The cat sat on the mat.', ...hostile, 'Stock markets fell on Monday.'];
      const passages = await model.embedPassages(texts);
      expect(passages).toHaveLength(texts.length);
      for (const { vector, windows } of passages) {
        expect(vector).toBeInstanceOf(Float32Array);
        expect(vector).toHaveLength(model.space.dimensions);
        expect(vector.every(Number.isFinite)).toBe(true);
        const length = Math.hypot(...vector);
        expect(length === 0 || Math.abs(length - 1) < 1e-3).toBe(true);
        expect(windows).toBeGreaterThanOrEqual(1);
      }
      const last = await model.embedPassages(texts.slice(-1));
      expect(
        cosine(last[0]?.vector ?? new Float32Array(1), passages.at(-1)?.vector ?? new Float32Array(1)),
      ).toBeCloseTo(1, 3);
    });

    it('ranks the passage that answers a question first', async () => {
      const passages = await model.embedPassages([
        'The dam was built in 1936 and holds back the river.',
        'Penguins are flightless birds of the southern hemisphere.',
        'The recipe needs two eggs, flour and milk.',
      ]);
      const query = await model.embedQuery('Which birds are flightless?');
      const scores = passages.map(({ vector }) => cosine(query, vector));
      expect(scores.indexOf(Math.max(...scores))).toBe(1);
    });

    it('gives the same vectors again', async () => {
      const [first] = await model.embedPassages(['one text']);
      const [again] = await model.embedPassages(['one text', 'another']);
      expect(cosine(first?.vector ?? new Float32Array(1), again?.vector ?? new Float32Array(1))).toBeCloseTo(1, 5);
    });

    it('takes no texts, and stops when told to', async () => {
      expect(await model.embedPassages([])).toEqual([]);
      await expect(model.embedPassages(['x'], AbortSignal.abort())).rejects.toThrow();
      await expect(model.embedQuery('x', AbortSignal.abort())).rejects.toThrow();
    });

    it('says what its ranking is worth in a fusion', () => {
      expect(['rrf', 'relative']).toContain(model.fusion.method);
      expect(model.fusion.denseWeight).toBeGreaterThanOrEqual(0);
      expect(model.fusion.denseWeight).toBeLessThanOrEqual(1);
      expect(model.maxBatch).toBeGreaterThanOrEqual(1);
    });
  });
}
