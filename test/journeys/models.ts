import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SluiceApi } from '../../gateway/client/client.js';
import { startWordModel, type WordModel } from '../stack/word-model.js';
import type { Pipeline } from './document-life.js';

/** What a model's end means to the collections of others, the same on every stack. */
export function describeModels(
  stack: string,
  start: (environment: Readonly<Record<string, string>>) => Promise<Pipeline>,
): void {
  describe(`two model endpoints, ${stack}`, () => {
    let sound: WordModel;
    let broken: WordModel;
    let pipeline: Pipeline;
    let client: SluiceApi;
    beforeAll(async () => {
      [sound, broken] = await Promise.all([startWordModel('sound'), startWordModel('broken')]);
      pipeline = await start({ ...sound.environment, ...broken.environment });
      client = pipeline.client;
      for (const model of ['sound', 'broken']) await client.createCollection({ collection: model, embedding: model });
    }, 120_000);
    afterAll(async () => {
      await pipeline.stop();
      await Promise.all([sound.close(), broken.close()]);
    });

    const put = (collection: string, document_id: string) =>
      client.putDocument({ collection, document_id, body: `The ${document_id} of the ${collection} collection.` });
    const ended = (id: string) => client.waitForOperation(id, { timeoutMs: 60_000 });

    it.each([
      ['is killed', () => broken.kill()],
      ['answers nothing', () => broken.hold()],
    ])(
      'goes on with one when the other %s, and with both when it is back',
      async (how, fail) => {
        const recover = fail();
        const waiting: string[] = [];
        const done: string[] = [];
        // In turn, so that no queue along the way holds only what can be done.
        for (let n = 0; n < 12; n++) {
          waiting.push((await put('broken', `${how} ${n}`)).operation_id);
          done.push((await put('sound', `${how} ${n}`)).operation_id);
        }
        for (const id of done) expect(await ended(id)).toMatchObject({ state: 'ready', chunk_count: 1 });
        const leaving = new AbortController();
        const search = (collection: string, signal?: AbortSignal) =>
          client.search({ query: `${how} 3`, mode: 'semantic', collections: [collection] }, { signal });
        const unanswered = expect(search('broken', leaving.signal)).rejects.toThrow();
        const { hits } = await search('sound');
        expect(hits.map(({ document_id }) => document_id)).toContain(`${how} 3`);
        leaving.abort();
        await unanswered;
        for (const id of waiting) expect(await client.operation(id)).toMatchObject({ state: 'accepted' });
        recover();
        for (const id of waiting) expect(await ended(id)).toMatchObject({ state: 'ready', chunk_count: 1 });
        await vi.waitFor(async () => {
          const { dead_letters, documents } = await client.status();
          expect({ dead_letters, failed: documents.failed }).toEqual({ dead_letters: 0, failed: 0 });
        });
      },
      180_000,
    );
  });
}
