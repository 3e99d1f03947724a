import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SluiceApi } from '../../gateway/client/client.js';
import type { Pipeline } from './document-life.js';

/** What a pause means, the same on every stack. */
export function describePause(stack: string, start: () => Promise<Pipeline>): void {
  describe(`a paused collection, ${stack}`, () => {
    let pipeline: Pipeline;
    let client: SluiceApi;
    beforeAll(async () => {
      pipeline = await start();
      client = pipeline.client;
      await client.createCollection({ collection: 'quiet' });
      await client.createCollection({ collection: 'busy' });
    }, 120_000);
    afterAll(() => pipeline.stop());

    const put = (collection: string, document_id: string, body: string) =>
      client.putDocument({ collection, document_id, body });
    const ended = async ({ operation_id }: { readonly operation_id: string }) => client.waitForOperation(operation_id);

    it('takes documents in, holds up no other, and works them off when it goes on', async () => {
      await ended(await put('quiet', 'old', 'Before the pause.'));
      expect(await client.pauseCollection('quiet')).toMatchObject({ paused: true });
      const waiting = [await put('quiet', 'old', 'During the pause.'), await put('quiet', 'new', 'During the pause.')];
      for (let n = 0; n < 3; n++)
        expect(await ended(await put('busy', `b${n}`, `Text ${n}.`))).toMatchObject({ state: 'ready' });
      await vi.waitFor(async () => {
        expect(await client.getDocument('quiet', 'old')).toMatchObject({
          ...{ live: { version: 1, state: 'ready' }, newest: { version: 2, state: 'pending' } },
        });
      });
      expect(await client.recover({ stalled_after_ms: 0 })).toMatchObject({ redriven: 0, failed: 0 });
      for (const { operation_id } of waiting) {
        expect(await client.operation(operation_id)).toMatchObject({ state: 'accepted' });
      }
      const again = await client.retryDocument('quiet', 'new');
      expect(await ended(again)).toMatchObject({ state: 'stale' });
      expect(await client.resumeCollection('quiet')).toMatchObject({ paused: false });
      for (const submitted of waiting) expect(await ended(submitted)).toMatchObject({ state: 'ready' });
      expect(await client.getDocument('quiet', 'old')).toMatchObject({ live: { version: 2 } });
      expect(await client.resumeCollection('quiet')).toMatchObject({ paused: false });
    });
  });
}
