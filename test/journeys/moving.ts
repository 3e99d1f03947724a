import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SluiceApi } from '../../gateway/client/client.js';
import { startWordModel, type WordModel } from '../stack/word-model.js';
import type { Pipeline } from './document-life.js';
import { answers, emptied, ended, put, readInLoop } from './moving-collection.js';

const timeout = 180_000;
const documents = Array.from({ length: 12 }, (_, index) => index);
const untouched = documents.slice(6);

/** A collection that moves to another model or other chunks while it is read and written, the same on every stack. */
export function describeMoving(
  stack: string,
  start: (environment: Readonly<Record<string, string>>) => Promise<Pipeline>,
): void {
  describe(`a collection that moves, ${stack}`, { timeout }, () => {
    let model: WordModel;
    let pipeline: Pipeline;
    let client: SluiceApi;
    beforeAll(async () => {
      model = await startWordModel();
      pipeline = await start({
        ...model.environment,
        ...{ SLUICE_SWEEPER_PURGE_AFTER_MS: '0', SLUICE_SWEEPER_INTERVAL_MS: '500' },
      });
      client = pipeline.client;
    }, timeout);
    afterAll(async () => {
      await pipeline.stop();
      await model.close();
    });

    const load = async (collection: string, about?: string): Promise<void> => {
      await Promise.all(documents.map((index) => put(client, collection, index, about)));
    };
    /** Changes some documents, deletes one, adds one. */
    const write = async (collection: string): Promise<void> => {
      for (const index of [0, 1, 2, 3]) await put(client, collection, index, 'lanterns');
      await ended(client, client.deleteDocument(collection, 'thing-4'));
      await put(client, collection, 20);
      await ended(client, client.deleteDocument(collection, 'thing-5'));
      await put(client, collection, 5, 'lanterns');
    };

    it('to another model answers all the while, takes in what is written, and ends as one made with it', async () => {
      await client.createCollection({ collection: 'moving' });
      await client.createCollection({ collection: 'made', embedding: 'small' });
      await Promise.all([load('moving'), load('made')]);
      const reader = readInLoop(client, 'moving', untouched);
      const release = model.hold();
      const begun = ended(client, client.reindexCollection('moving', 'small'));
      const written = write('moving');
      await vi.waitFor(async () => {
        expect(await client.conversion('moving')).toMatchObject({ kind: 'reindex', target_space: { model: 'small' } });
      });
      release();
      expect(await begun).toMatchObject({ state: 'ready' });
      await written;
      expect(await reader.stop()).toBeGreaterThan(3);
      await write('made');
      const moved = await client.getCollection('moving');
      expect(moved).toMatchObject({ space: { model: 'small' }, target_space: null });
      expect(await client.conversion('moving')).toMatchObject({ kind: null, waiting: 0, failed: 0 });
      await vi.waitFor(async () => expect(await answers(client, 'moving')).toEqual(await answers(client, 'made')), {
        timeout: 60_000,
      });
      const [one, other] = await Promise.all(['moving', 'made'].map((id) => client.collectionStatistics(id)));
      expect(one).toMatchObject({ vectors: other?.chunks, chunks: other?.chunks, snapshot: other?.snapshot });
    });

    it('and back again, once the old vectors are purged, finds everything by the first model', async () => {
      await emptied(client, 'moving', 'hashing');
      await client.createCollection({ collection: 'stayed' });
      await load('stayed');
      await write('stayed');
      expect(await answers(client, 'moving')).toEqual(await answers(client, 'stayed'));
    });

    it('counts what it would do, and which chunks are longer than the window', async () => {
      const plan = await client.planReindex('stayed', 'small');
      expect(plan).toMatchObject({ to: { model: 'small', dimensions: 64 }, documents: 12, windowed_chunks: 0 });
      expect(plan.chunks).toBe((await client.collectionStatistics('stayed')).chunks);
      await client.createCollection({ collection: 'long', chunker: { strategy: 'fixed', size: 2_000 } });
      const body = 'word after word '.repeat(400);
      await client.ingestDocument({ collection: 'long', document_id: 'long', body });
      expect(await client.planReindex('long', 'small')).toMatchObject({ chunks: 1, windowed_chunks: 1 });
      await ended(client, client.reindexCollection('long', 'small'));
      expect(await client.conversion('long')).toMatchObject({ kind: null, windowed_chunks: 1 });
    });

    it('says so when there is nothing to do, and refuses a second move while one runs', async () => {
      expect(await ended(client, client.reindexCollection('stayed', 'hashing'))).toMatchObject({ state: 'unchanged' });
      const release = model.hold();
      const begun = ended(client, client.reindexCollection('stayed', 'small'));
      const busy = await ended(client, client.rechunkCollection('stayed', { size: 100 }));
      expect(busy).toMatchObject({ state: 'refused', code: 'collection-busy' });
      const joined = ended(client, client.reindexCollection('stayed', 'small'));
      const before = await answers(client, 'stayed');
      expect(await ended(client, client.abortReindex('stayed'))).toMatchObject({ state: 'ready' });
      release();
      expect((await begun).state).toBe('stale');
      expect((await joined).state).toBe('stale');
      expect(await answers(client, 'stayed')).toEqual(before);
      expect(await client.getCollection('stayed')).toMatchObject({ space: { model: 'hashing' }, target_space: null });
    });

    it('is held by a document that fails there, until it is left out', async () => {
      await client.createCollection({ collection: 'held' });
      await Promise.all([0, 1].map((index) => put(client, 'held', index)));
      await client.ingestDocument({ collection: 'held', document_id: 'bad', body: 'The unembeddable barometer.' });
      model.refuse('unembeddable');
      const begun = ended(client, client.reindexCollection('held', 'small'));
      await vi.waitFor(
        async () => {
          expect(await client.conversion('held')).toMatchObject({ kind: 'reindex', waiting: 0, failed: 1 });
        },
        { timeout: 60_000 },
      );
      const { failures } = await client.conversion('held');
      expect(failures).toMatchObject([{ document_id: 'bad', stage: 'embedder' }]);
      const query = 'barometer';
      expect((await client.search({ query, collections: ['held'] })).hits[0]?.document_id).toBe('bad');
      expect(await client.getDocument('held', 'bad')).toMatchObject({ state: 'ready' });
      expect(await ended(client, client.skipFailedInReindex('held'))).toMatchObject({ state: 'ready' });
      expect(await begun).toMatchObject({ state: 'ready' });
      await vi.waitFor(async () => {
        expect(await client.getDocument('held', 'bad')).toMatchObject({
          state: 'failed',
          newest: { stage: 'embedder' },
        });
      });
      model.refuse(undefined);
      const again = await client.ingestDocument({
        ...{ collection: 'held', document_id: 'bad', body: 'The unembeddable barometer.' },
      });
      expect(again).toMatchObject({ state: 'ready', version: 1 });
      expect((await client.search({ query, collections: ['held'] })).hits[0]?.document_id).toBe('bad');
    });

    it('to other chunks answers all the while and ends as one made with them', async () => {
      const chunker = { size: 40, overlap: 5 };
      await client.createCollection({ collection: 'recut' });
      await client.createCollection({ collection: 'cut', chunker });
      await Promise.all([load('recut'), load('cut')]);
      const reader = readInLoop(client, 'recut', untouched);
      const begun = ended(client, client.rechunkCollection('recut', chunker));
      const written = write('recut');
      expect(await begun).toMatchObject({ state: 'ready' });
      await written;
      await reader.stop();
      await write('cut');
      expect(await client.getDocument('recut', 'thing-8')).toMatchObject({ live: { version: 2 }, state: 'ready' });
      await vi.waitFor(async () => expect(await answers(client, 'recut')).toEqual(await answers(client, 'cut')), {
        timeout: 60_000,
      });
      expect(await client.getCollection('recut')).toMatchObject({ chunker });
    });
  });
}
