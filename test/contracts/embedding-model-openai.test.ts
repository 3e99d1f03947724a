import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOpenAiEmbeddingModel } from '../../services/ports/embedding-model/openai-compatible/openai.js';
import type { EmbeddingModel } from '../../services/ports/embedding-model/port.js';
import { startEmbeddings } from '../stack/embeddings.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { embeddingSettings } from '../services/ports/openai/settings.js';
import { describeEmbeddingModelContract } from './embedding-model-contract.js';
import { cosine } from './vector-store-points.js';

const server = await startOrSkip('an embeddings server', startEmbeddings);

if (server !== undefined) {
  afterAll(() => server.stop());
  const open = (rest: Record<string, unknown> = {}): EmbeddingModel =>
    createOpenAiEmbeddingModel({
      ...embeddingSettings('e5', {
        baseUrl: server.url,
        model: 'e5-passage',
        queryModel: 'e5-query',
        dimensions: 384,
        maxTokens: 128,
      }),
      ...rest,
    });

  describeEmbeddingModelContract('openai-compatible', () => Promise.resolve(open()));

  describe('an OpenAI-compatible embedding model, on a real server', () => {
    let model: EmbeddingModel;
    beforeAll(() => void (model = open()));

    const one = async (text: string, from = model): Promise<Float32Array> =>
      (await from.embedPassages([text]))[0]?.vector ?? new Float32Array(1);

    it('embeds a long text in windows, all of it, and counts them', async () => {
      const windowed = open({ maxTokens: 32 });
      const [dam, birds] = ['The dam was built in 1936 and holds back the river. ', 'Penguins are flightless birds. '];
      const [short, long] = await windowed.embedPassages([dam, dam.repeat(6) + birds.repeat(8)]);
      expect(short?.windows).toBe(1);
      expect(long?.windows).toBeGreaterThanOrEqual(4);
      const vector = long?.vector ?? new Float32Array(1);
      expect(cosine(vector, await one(birds))).toBeGreaterThan(cosine(await one(dam), await one(birds)) + 0.05);
    });

    it('has other encoders for queries and documents', async () => {
      const query = await model.embedQuery('a flightless bird');
      expect(cosine(query, await one('a flightless bird'))).toBeLessThan(0.999);
      const same = open({ queryModel: '' });
      expect(cosine(await same.embedQuery('a flightless bird'), await one('a flightless bird'))).toBeCloseTo(1, 4);
    });

    it('answers in many small calls as in a large one', async () => {
      const texts = Array.from({ length: 9 }, (_, index) => `The number of this text is ${index}.`);
      const small = await open({ maxBatchTexts: 2 }).embedPassages(texts);
      const large = await model.embedPassages(texts);
      small.forEach(({ vector }, index) => {
        expect(cosine(vector, large[index]?.vector ?? new Float32Array(1))).toBeCloseTo(1, 3);
      });
    });

    it('is unavailable when its server is gone, and there again with it', async () => {
      await server.stop('SIGKILL');
      await expect(model.embedQuery('x')).rejects.toMatchObject({ code: 'unavailable' });
      await server.restart();
      expect(await model.embedQuery('x')).toHaveLength(384);
    });
  });
}
