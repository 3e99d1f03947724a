import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SluiceClient, type DeadLetter, type SluiceApi } from '../../gateway/client/client.js';
import type { Codec } from '../../schema/codec.js';
import { topics } from '../../schema/topics.js';
import { blobKeys } from '../../services/ports/blob-store/keys.js';
import type { Ports } from '../../services/ports/ports.js';
import { createPublisher } from '../../services/runtime/delivery/publisher.js';
import { output } from '../../services/runtime/processor.js';
import type { Pipeline } from './document-life.js';

/** A pipeline whose bus and stores the test can reach, too. */
export interface ReachablePipeline extends Pipeline {
  readonly ports: Ports;
  readonly codec: Codec;
}

const text = 'The lighthouse keeper collects barometers.\n';
const torn = Buffer.from('%PDF-1.7\n\0\x01\x02');

/** What an operator does with messages that failed, the same on every stack. */
export function describeDeadLetters(stack: string, start: () => Promise<ReachablePipeline>): void {
  describe(`dead letters, ${stack}`, () => {
    let pipeline: ReachablePipeline;
    let client: SluiceApi;
    beforeAll(async () => {
      pipeline = await start();
      client = pipeline.client;
      await client.createCollection({ collection: 'letters' });
    }, 120_000);
    afterAll(() => pipeline.stop());

    const ingest = (document_id: string, body: string | Buffer) =>
      client.ingestDocument({ collection: 'letters', document_id, body });
    const lettersOf = async (document_id: string, state: 'open' | 'all' = 'open') => {
      const letters: DeadLetter[] = [];
      for await (const letter of client.deadLetters({ collection: 'letters', document_id, state }))
        letters.push(letter);
      return letters;
    };
    const letterOf = async (document_id: string): Promise<DeadLetter> => {
      const [letter] = await lettersOf(document_id);
      if (letter === undefined) throw new Error(`no dead letter of ${document_id}`);
      return letter;
    };
    const replay = async (letter: DeadLetter) => {
      const { operation_id } = await client.replayDeadLetter(letter.letter_id);
      return client.waitForOperation(operation_id ?? '');
    };
    const end = async ({ operation_id }: { readonly operation_id: string }) => client.waitForOperation(operation_id);

    it('come with the version that failed, and a replay that fails again makes another', async () => {
      expect(await ingest('pdf', torn)).toMatchObject({ state: 'failed' });
      const letter = await letterOf('pdf');
      expect(letter).toMatchObject({
        ...{ state: 'open', topic: 'documents-accepted', processor: 'decoder', code: 'unsupported-format' },
        version: { version: 1, state: 'failed', stage: 'decoder', code: 'unsupported-format' },
      });
      expect((await client.status()).dead_letters).toBe(1);
      expect(await replay(letter)).toMatchObject({ kind: 'retry', state: 'failed', code: 'unsupported-format' });
      const again = await letterOf('pdf');
      expect(again.letter_id).not.toBe(letter.letter_id);
      expect(await client.deadLetter(letter.letter_id)).toMatchObject({ state: 'replayed' });
      expect((await client.status()).dead_letters).toBe(1);
    });

    it('are replayed to the end once what was missing is there, by two operators as by one', async () => {
      const { bus, blobStore } = pipeline.ports;
      const body = Buffer.from(text);
      await createPublisher({ bus, codec: pipeline.codec }).publish([
        output(
          topics.documentCommands,
          {
            ...{ kind: 'submit', workspace: 'default', collection: 'letters', document_id: 'late' },
            ...{ upload_id: 'late', content_hash: 'late', size_bytes: body.length, content_type: 'text/plain' },
          },
          { 'message-id': 'late', workspace: 'default' },
        ),
      ]);
      const letter = await vi.waitFor(() => letterOf('late'), { timeout: 60_000, interval: 200 });
      await blobStore.put(blobKeys.source('default', 'late'), body);
      const operators = await Promise.allSettled(Array.from({ length: 4 }, () => replay(letter)));
      const answers = operators.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(answers.length).toBeGreaterThan(0);
      for (const answer of answers) expect(answer).toMatchObject({ state: 'ready', version: 1 });
      expect(await lettersOf('late')).toEqual([]);
      const { hits } = await client.search({ query: 'barometers', mode: 'lexical', collections: ['letters'] });
      expect(hits.map((hit) => hit.document_id)).toEqual(['late']);
    });

    it('are stale once a newer version is live: nothing changes', async () => {
      await ingest('replaced', torn);
      const letter = await letterOf('replaced');
      expect(await ingest('replaced', text)).toMatchObject({ state: 'ready', version: 2 });
      const [{ live, newest }, status] = [await client.getDocument('letters', 'replaced'), await client.status()];
      expect(await lettersOf('replaced')).toEqual([]);
      expect(await replay(letter)).toMatchObject({ state: 'stale' });
      expect(await client.getDocument('letters', 'replaced')).toMatchObject({ live, newest });
      expect(await client.status()).toEqual(status);
    });

    it('of a deleted document are dropped, and bring nothing back', async () => {
      await ingest('gone', torn);
      const letter = await letterOf('gone');
      await end(await client.deleteDocument('letters', 'gone'));
      expect(await lettersOf('gone')).toEqual([]);
      expect(await replay(letter)).toMatchObject({ state: 'refused', code: 'document-not-found' });
      await expect(client.getDocument('letters', 'gone')).rejects.toMatchObject({ code: 'document-not-found' });
    });

    it('of poison show its bytes and the reason, and are dropped', async () => {
      const poison = [randomBytes(300), Buffer.from([0, 0, 0]), Buffer.alloc(0)];
      const { bus } = pipeline.ports;
      await bus.publish(
        poison.map((value) => ({ topic: 'chunks-created', key: 'k', value, headers: { workspace: 'default' } })),
      );
      const found = await vi.waitFor(
        async () => {
          const letters: DeadLetter[] = [];
          for await (const letter of client.deadLetters({ processor: 'embedder' })) letters.push(letter);
          expect(letters).toHaveLength(poison.length);
          return letters;
        },
        { timeout: 30_000, interval: 100 },
      );
      const bytes: string[] = [];
      for (const { letter_id } of found) {
        const shown = await client.deadLetter(letter_id);
        expect(shown).toMatchObject({ code: 'undecodable', version: null, document_id: null, message: null });
        expect(shown.reason).toMatch(/cannot be read/);
        bytes.push(shown.value_base64);
        expect(await client.dropDeadLetter(letter_id)).toMatchObject({ state: 'dropped' });
      }
      expect(bytes.sort()).toEqual(poison.map((value) => value.toString('base64')).sort());
    });

    it('of another workspace do not exist', async () => {
      const other = new SluiceClient({ url: pipeline.url, workspace: 'other', maxRetries: 0 });
      const { letter_id } = await letterOf('pdf');
      for (const call of ['deadLetter', 'replayDeadLetter', 'dropDeadLetter'] as const) {
        await expect(other[call](letter_id)).rejects.toMatchObject({ code: 'not-found' });
      }
      await other.close();
    });

    it('do not stop a retry of the document itself', async () => {
      expect(await end(await client.retryDocument('letters', 'pdf'))).toMatchObject({ kind: 'retry', state: 'failed' });
      expect(await end(await client.retryDocument('letters', 'late'))).toMatchObject({ state: 'stale' });
      expect(await end(await client.retryDocument('letters', 'nothing'))).toMatchObject({
        ...{ state: 'refused', code: 'document-not-found' },
      });
    });
  });
}
