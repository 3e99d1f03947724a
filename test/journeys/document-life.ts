import { text as readAll } from 'node:stream/consumers';
import { describe, expect, it, beforeAll, afterAll } from 'vitest';
import { SluiceApiError, type SluiceApi } from '../../gateway/client/client.js';

/** A running pipeline, whatever it is made of. */
export interface Pipeline {
  readonly client: SluiceApi;
  readonly url: string;
  stop(): Promise<unknown>;
}

const pump = `# Pump handbook

## Starting

Open the inlet valve fully before starting the pump. Part number AURA-7 seals the inlet flange.

## Stopping

Close the outlet valve first, then switch the motor off. The firmware 7.3.2 does both by itself.
`;

const text = async (client: SluiceApi, collection: string, id: string): Promise<string> =>
  readAll(await client.documentText(collection, id));

/** What a person does with documents, the same on every stack: from bytes to an answer, over changes, to nothing. */
export function describeDocumentLife(stack: string, start: () => Promise<Pipeline>): void {
  describe(`the life of a document, ${stack}`, () => {
    let pipeline: Pipeline;
    let client: SluiceApi;
    beforeAll(async () => {
      pipeline = await start();
      client = pipeline.client;
      await client.createCollection({ collection: 'handbook' });
      await client.createCollection({ collection: 'other' });
    });
    afterAll(() => pipeline.stop());

    const ingest = (collection: string, document_id: string, body: string, extra = {}) =>
      client.ingestDocument({ collection, document_id, body, content_type: 'text/markdown', ...extra });
    const chunkIds = async (query: string, collection: string) =>
      (await client.search({ query, mode: 'lexical', collections: [collection], limit: 50 })).hits.map(
        (hit) => hit.chunk_id,
      );

    it('goes from bytes to an answer whose citation can be checked', async () => {
      const done = await ingest('handbook', 'pump', pump, { source: 'file:///pump.md' });
      expect(done).toMatchObject({ state: 'ready', version: 1, unchanged: false, replaced: null });
      const answer = await client.answer({
        question: 'What must be opened before starting the pump?',
        collections: ['handbook'],
      });
      expect(answer.found).toBe(true);
      expect(answer.answer).toContain('Open the inlet valve fully');
      const citation = answer.citations[0];
      expect(citation).toMatchObject({ document_id: 'pump', source: 'file:///pump.md' });
      const decoded = [...(await text(client, 'handbook', 'pump'))];
      for (const { start, end, quote } of answer.citations) {
        expect(decoded.slice(start, end).join('')).toBe(quote);
      }
    });

    it('finds exact tokens, in either mode that knows them', async () => {
      for (const query of ['7.3.2', 'aura-7']) {
        for (const mode of ['lexical', 'hybrid'] as const) {
          const { hits } = await client.search({ query, mode, collections: ['handbook'] });
          expect(hits[0]?.text.toLowerCase()).toContain(query);
        }
      }
    });

    it('says unchanged for equal bytes and embeds nothing', async () => {
      const before = await client.status();
      const again = await ingest('handbook', 'pump', pump, { source: 'file:///pump.md' });
      expect(again).toMatchObject({ state: 'unchanged', version: 1, unchanged: true });
      expect(await client.status()).toEqual(before);
    });

    it('swaps to other content, and only the new one is found', async () => {
      const first = await chunkIds('inlet valve', 'handbook');
      const done = await ingest('handbook', 'pump', pump.replace('inlet valve', 'purple hatch'), {
        source: 'file:///pump.md',
      });
      expect(done).toMatchObject({ state: 'ready', version: 2, replaced: 1 });
      const { hits } = await client.search({ query: 'purple hatch', collections: ['handbook'], limit: 50 });
      expect(hits[0]?.text).toContain('purple hatch');
      expect(hits.filter((hit) => first.includes(hit.chunk_id))).toEqual([]);
    });

    it('leaves no chunks of a document that was emptied', async () => {
      await ingest('handbook', 'note', 'The lighthouse keeper collects barometers.\n');
      expect(await chunkIds('barometers', 'handbook')).toHaveLength(1);
      expect(await ingest('handbook', 'note', '')).toMatchObject({ state: 'ready', version: 2, chunk_count: 0 });
      const { hits } = await client.search({ query: 'barometers', mode: 'lexical', collections: ['handbook'] });
      expect(hits).toEqual([]);
    });

    it('keeps the same id apart in two collections', async () => {
      await ingest('handbook', 'shared', 'Cobalt drawers hold the blueprints.');
      await ingest('other', 'shared', 'Cobalt drawers hold the blueprints.');
      const [one, two] = [await chunkIds('cobalt drawers', 'handbook'), await chunkIds('cobalt drawers', 'other')];
      expect(one.filter((id) => two.includes(id))).toEqual([]);
      const gone = await client.deleteDocument('handbook', 'shared');
      await client.waitForOperation(gone.operation_id);
      expect(await chunkIds('cobalt drawers', 'other')).toEqual(two);
      await expect(client.getDocument('handbook', 'shared')).rejects.toMatchObject({ code: 'document-not-found' });
    });

    it('numbers on after a deletion, so that no chunk id comes back', async () => {
      await ingest('other', 'returning', 'Amber lanterns light the pier.');
      const before = await chunkIds('amber lanterns', 'other');
      const gone = await client.deleteDocument('other', 'returning');
      await client.waitForOperation(gone.operation_id);
      const done = await ingest('other', 'returning', 'Amber lanterns light the pier.');
      expect(done).toMatchObject({ state: 'ready', version: 2 });
      const after = await chunkIds('amber lanterns', 'other');
      expect(after.filter((id) => before.includes(id))).toEqual([]);
    });

    it('fails one document alone, with its reason', async () => {
      const [bad, good] = await Promise.all([
        client.ingestDocument({ collection: 'other', document_id: 'bad', body: Buffer.from('%PDF-1.7\n\0\x01\x02') }),
        ingest('other', 'good', 'Copper kettles sing at dawn.'),
      ]);
      expect(bad).toMatchObject({ state: 'failed', code: 'unsupported-format' });
      expect(bad.reason).toMatch(/PDF/i);
      expect(good).toMatchObject({ state: 'ready' });
      expect((await client.getDocument('other', 'bad')).newest).toMatchObject({ state: 'failed', stage: 'decoder' });
    });

    it('answers nothing for what is not in the collection', async () => {
      await client.createCollection({ collection: 'empty' });
      const answer = await client.answer({ question: 'Who built the harbour?', collections: ['empty'] });
      expect(answer).toMatchObject({ found: false, citations: [] });
    });

    it('streams an answer in parts that add up to it', async () => {
      let streamed = '';
      let ends = 0;
      for await (const part of client.ask({ question: 'How is the motor switched off?', collections: ['handbook'] })) {
        if (part.kind === 'text') streamed += part.text;
        else {
          ends += 1;
          expect(part.result.answer).toBe(streamed);
        }
      }
      expect(ends).toBe(1);
    });

    it.each([
      ['an unknown collection', { collections: ['nowhere'], query: 'x' }, 'collection-not-found'],
      ['an empty query', { query: ' ' }, 'invalid-argument'],
      ['limit 0', { query: 'x', limit: 0 }, 'invalid-argument'],
      ['min_score with hybrid', { query: 'x', min_score: 0.5 }, 'invalid-argument'],
      ['a filter without operator', { query: 'x', where: 'author!' }, 'invalid-argument'],
    ])('refuses %s', async (_, request, code) => {
      const refusal = await client.search(request).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(SluiceApiError);
      expect(refusal).toMatchObject({ code });
    });
  });
}
