import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Recovered, RecoverRequest, SluiceApi } from '../../gateway/client/client.js';
import { pointId, uuidOf } from '../../services/domain/identity.js';
import { blobKeys } from '../../services/ports/blob-store/keys.js';
import { commit, submitOf } from '../contracts/catalog-fixture.js';
import type { ReachablePipeline } from './dead-letters.js';

/** Nothing is swept unless somebody asks, and what is replaced may go at once. */
export const sweepOnRequest = { SLUICE_SWEEPER_PURGE_AFTER_MS: '0', SLUICE_SWEEPER_INTERVAL_MS: '0' };

/** What `sluice recover` finds and does, the same on every stack. */
export function describeRecovery(stack: string, start: () => Promise<ReachablePipeline>): void {
  describe(`recovery, ${stack}`, () => {
    let pipeline: ReachablePipeline;
    let client: SluiceApi;
    beforeAll(async () => {
      pipeline = await start();
      client = pipeline.client;
      await client.createCollection({ collection: 'shelf' });
    }, 120_000);
    afterAll(() => pipeline.stop());

    const ingest = (document_id: string, body: string) =>
      client.ingestDocument({ collection: 'shelf', document_id, body });

    /** Several ask at once, until all together have found `wanted`. */
    const recoverTogether = async (request: RecoverRequest, wanted: Partial<Recovered>) => {
      const sum = { failed: 0, redriven: 0, purged: 0, skipped_no_workspace: 0 };
      await vi.waitFor(
        async () => {
          for (const found of await Promise.all(Array.from({ length: 4 }, () => client.recover(request)))) {
            for (const name of ['failed', 'redriven', 'purged', 'skipped_no_workspace'] as const) {
              sum[name] += found[name];
            }
          }
          expect(sum).toMatchObject(wanted);
        },
        { timeout: 60_000, interval: 100 },
      );
      return sum;
    };

    it('purges what was replaced, and counts each once however many ask', async () => {
      for (const id of ['a', 'b', 'c']) await ingest(id, `${id} was here first.`);
      for (const id of ['a', 'b', 'c']) await ingest(id, `${id} was changed since.`);
      expect(await client.recover({ dry_run: true })).toMatchObject({ purged: 3, redriven: 0, failed: 0 });
      expect(await client.recover({ dry_run: true, batch_size: 1 })).toMatchObject({ purged: 3 });
      expect(await recoverTogether({ batch_size: 1 }, { purged: 3 })).toEqual({
        ...{ failed: 0, redriven: 0, purged: 3, skipped_no_workspace: 0 },
      });
      await vi.waitFor(async () => expect(await client.status()).toMatchObject({ chunks: 3, vectors: 3 }), 30_000);
      expect(await client.recover()).toMatchObject({ purged: 0 });
    });

    it('drives a document again whose message is lost, once, and only when no queue holds it', async () => {
      const { librarianStore, blobStore } = pipeline.ports;
      const key = { workspace: 'default', collection: 'shelf', documentId: 'lost' };
      const body = Buffer.from('A message in a bottle.\n');
      await blobStore.put(blobKeys.source('default', 'lost'), body);
      await commit(librarianStore, [
        { key, commands: [submitOf('lost', { uploadId: 'lost', sizeBytes: body.length, contentType: 'text/plain' })] },
      ]);
      expect(await client.recover()).toMatchObject({ redriven: 0 }); // it was heard of a moment ago
      expect(await recoverTogether({ stalled_after_ms: 0 }, { redriven: 1 })).toMatchObject({ redriven: 1, failed: 0 });
      await vi.waitFor(
        async () => expect(await client.getDocument('shelf', 'lost')).toMatchObject({ state: 'ready' }),
        30_000,
      );
    });

    it('removes orphaned vectors, but not over one in a hundred unless forced', async () => {
      const before = await client.status();
      const record = await pipeline.ports.catalog.collection('default', 'shelf');
      if (record === undefined) throw new Error('the collection is gone');
      const scope = { workspace: 'default', collection: 'shelf', space: record.space, lexical: record.lexical };
      const hash = 'f'.repeat(64);
      const vector = new Float32Array(record.space.dimensions).fill(0);
      vector[0] = 1;
      await pipeline.ports.vectorStore.upsert(scope, [
        {
          ...{ pointId: pointId(`${hash}:0`), chunkId: `${hash}:0`, documentId: 'ghost', versionHash: hash, seq: 0 },
          ...{ source: uuidOf('ghost'), vector, terms: ['ghost'], attributes: {} },
        },
      ]);
      const points = before.vectors + 1;
      expect(await client.recover({ orphans: true, dry_run: true })).toMatchObject({
        orphans: { points, orphans: 1, removed: 0 },
      });
      await expect(client.recover({ orphans: true })).rejects.toMatchObject({
        ...{ code: 'invalid-argument', message: expect.stringMatching(/--force/) as string },
      });
      expect((await client.status()).vectors).toBe(points);
      expect(await client.recover({ orphans: true, force: true })).toMatchObject({
        orphans: { orphans: 1, removed: 1 },
      });
      expect((await client.status()).vectors).toBe(before.vectors);
      expect(await client.recover({ orphans: true })).toMatchObject({ orphans: { orphans: 0, removed: 0 } });
    });
  });
}
