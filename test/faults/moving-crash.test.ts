import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SluiceApi } from '../../gateway/client/client.js';
import { answers, ended, put } from '../journeys/moving-collection.js';
import { startServer, withFolder, type TestServer } from '../journeys/server.js';
import { startWordModel, type WordModel } from '../stack/word-model.js';
import { sweepingFast } from './settled.js';

const documents = [0, 1, 2, 3, 4, 5];
const chunker = { size: 40, overlap: 5 };

type Answers = Readonly<Record<string, readonly string[]>>;

describe('a server that dies while a collection moves', () => {
  let model: WordModel;
  let clean: { readonly reindexed: Answers; readonly recut: Answers };
  const environment = () => ({ ...model.environment, ...sweepingFast });

  beforeAll(async () => {
    model = await startWordModel();
    clean = await withFolder(async (folder) => {
      const { client, stop } = await startServer(folder, environment());
      await client.createCollection({ collection: 'made', embedding: 'small' });
      await client.createCollection({ collection: 'cut', chunker });
      for (const collection of ['made', 'cut']) {
        await Promise.all(documents.map((index) => put(client, collection, index)));
        await put(client, collection, 0, 'lanterns');
        await ended(client, client.deleteDocument(collection, 'thing-1'));
      }
      const made = { reindexed: await answers(client, 'made'), recut: await answers(client, 'cut') };
      await stop();
      return made;
    });
  }, 120_000);
  afterAll(() => model.close());

  /** Calls a server that may die of it, and another one in its place until the call is through. */
  async function survive(folder: string, first: TestServer) {
    let server = first;
    let deaths = 0;
    const call = async <T>(ask: (client: SluiceApi) => Promise<T>): Promise<T> => {
      for (;;) {
        const { client, ended: died } = server;
        const outcome = await Promise.race([
          ask(client).then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          ),
          died.then(() => ({ died: true })),
        ]);
        if ('value' in outcome) return outcome.value;
        if ('error' in outcome && server.process.exitCode === null && server.process.signalCode === null) {
          const gone = await Promise.race([died.then(() => true), later(3_000)]);
          if (!gone) throw outcome.error;
        }
        deaths++;
        server = await startServer(folder, environment());
      }
    };
    return { call, deaths: () => deaths, stop: () => server.stop() };
  }

  /** Loads with a server that lives, moves with one that dies at the point, and ends as a clean run. */
  async function move(point: string, kind: 'reindexed' | 'recut'): Promise<void> {
    await withFolder(async (folder) => {
      const before = await startServer(folder, environment());
      await before.client.createCollection({ collection: 'moving' });
      await Promise.all(documents.map((index) => put(before.client, 'moving', index)));
      await before.stop();
      const dying = await startServer(folder, { ...environment(), SLUICE_TEST_CRASH_POINT: point });
      const { call, deaths, stop } = await survive(folder, dying);
      const begun = await call((client) =>
        kind === 'reindexed'
          ? client.reindexCollection('moving', 'small')
          : client.rechunkCollection('moving', chunker),
      );
      await call((client) => put(client, 'moving', 0, 'lanterns'));
      await call((client) => ended(client, client.deleteDocument('moving', 'thing-1')));
      const operation = await call((client) => client.waitForOperation(begun.operation_id, { timeoutMs: 60_000 }));
      expect(operation).toMatchObject({ state: 'ready' });
      await call((client) =>
        vi.waitFor(
          async () => {
            expect(await answers(client, 'moving')).toEqual(clean[kind]);
            expect(await client.conversion('moving')).toMatchObject({ kind: null, waiting: 0, failed: 0 });
            const { vectors, chunks } = await client.collectionStatistics('moving');
            expect(vectors).toBe(chunks);
          },
          { timeout: 60_000, interval: 250 },
        ),
      );
      if (kind === 'reindexed') {
        // The space that was left is purged, whatever died on the way: only then can it be a target again.
        await call((client) =>
          vi.waitFor(
            async () =>
              expect(await ended(client, client.reindexCollection('moving', 'hashing'))).toMatchObject({
                state: 'ready',
              }),
            { timeout: 60_000, interval: 500 },
          ),
        );
      }
      expect(deaths()).toBe(1);
      await stop();
    });
  }

  it.each([
    'librarian.catalog-commit:1',
    'librarian.after-commit:1',
    'librarian.publish:3',
    'librarian.flip',
    'embedder.publish:1',
    'vector-writer.fence:1',
    'purger.space',
    'purger.publish',
  ])('at %s of a reindex, and is started again, ends as one that lived', { timeout: 400_000 }, (point) =>
    move(point, 'reindexed'),
  );

  it.each([
    'librarian.after-commit:1',
    'librarian.publish:2',
    'decoder.after-effect:1',
    'chunker.after-effect:1',
    'vector-writer.fence:1',
  ])('at %s of a rechunk, and is started again, ends as one that lived', { timeout: 400_000 }, (point) =>
    move(point, 'recut'),
  );
});

const later = (milliseconds: number): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(false), milliseconds).unref();
  });
