import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Gateway } from '../../gateway/gateway.js';
import { topics } from '../../schema/topics.js';
import type { NewMessages } from '../../schema/generated.js';
import { writePack } from '../../services/ports/blob-store/packs.js';
import { output } from '../../services/runtime/processor.js';
import { openTestBed, type TestBed } from './gateway-fixture.js';
import { sseEvents } from './sse-events.js';

let bed: TestBed;
let gateway: Gateway;
const cancelled: string[] = [];
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  bed = await openTestBed();
  gateway = await bed.gateway();
  await bed.hear(topics.cancellations, ({ value }) => cancelled.push(value.correlation_id));
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => bed.close());

type Headers = Readonly<Record<string, string>>;
const reply = (headers: Headers, value: NewMessages['Reply'], inbox = headers['reply-inbox'] ?? '') =>
  bed.publisher.publish([
    output(topics.replies, value, {
      'correlation-id': headers['correlation-id'] ?? '',
      'reply-inbox': inbox,
    }),
  ]);

const hit = {
  ...{ chunk_id: `${'a'.repeat(64)}:1`, document_id: 'd', collection: 'default', version_hash: 'a'.repeat(64), seq: 1 },
  ...{ source: 'file:///d.md', title: 'D', score: 0.5, metadata: '{"year":2020}', ingested_at: 1_600_000_000_000 },
};
const answer = {
  ...{ text: 'Yes [1].', found: true, model: 'stub', finish_reason: 'stop', input_tokens: 3, output_tokens: 2 },
  citations: [
    {
      ...{ n: 1, chunk_id: hit.chunk_id, document_id: 'd', collection: 'default', source: 'file:///d.md', title: null },
      ...{ seq: 1, heading_path: ['Top'], page: null, start: 2, end: 5, quote: 'yes' },
    },
  ],
};
const post = (path: string, payload: object, headers: Headers = {}) =>
  gateway.app.inject({ method: 'POST', url: `/sluice/v1${path}`, payload, headers });

describe('search', () => {
  it('asks the query processor and brings the texts of the hits', async () => {
    const chunk = { start: 2, end: 5, text: 'yes', headingPath: ['Top'] };
    const chunks = [
      { ...chunk, seq: 0 },
      { ...chunk, seq: 1, page: 3 },
    ];
    await writePack(bed.ports.blobStore, 'default', hit.version_hash, 0, { textSha256: 'x', chunks });
    const heard: unknown[] = [];
    stops.push(
      await bed.hear(topics.retrievalsRequested, ({ value, headers }) => {
        heard.push(value, headers);
        const missing = { ...hit, chunk_id: `${'b'.repeat(64)}:0`, version_hash: 'b'.repeat(64), seq: 0 };
        const hits = [hit, { ...missing, explain: '{"rank":1}', rerank_score: 2, orphaned: true }];
        void reply(headers, { kind: 'retrieval', retrieval: { workspace: 'default', hits, milliseconds: 1.5 } });
      }),
    );
    const response = await post('/search', {
      ...{ query: 'is it?', collections: ['default', 'default'], limit: 3, where: { exists: 'year' }, explain: true },
    });
    expect(response.json()).toEqual({
      hits: [
        {
          ...{ chunk_id: hit.chunk_id, document_id: 'd', collection: 'default', source: 'file:///d.md', title: 'D' },
          ...{ seq: 1, score: 0.5, heading_path: ['Top'], start: 2, end: 5, page: 3, text: 'yes' },
          ...{ metadata: { year: 2020 }, ingested_at: '2020-09-13T12:26:40.000Z', hydrated: true },
        },
        expect.objectContaining({ hydrated: false, text: '', orphaned: true, rerank_score: 2, explain: { rank: 1 } }),
      ],
      missing_lists: [],
      milliseconds: 1.5,
    });
    expect(heard[0]).toMatchObject({
      query: 'is it?',
      options: { collections: ['default'], limit: 3, mode: 'hybrid', where: '{"exists":"year"}', explain: true },
    });
    expect(heard[1]).toMatchObject({ 'reply-topic': 'replies', workspace: 'default' });
  });

  it('says what the processor refused, with the status of its code', async () => {
    stops.push(
      await bed.hear(topics.retrievalsRequested, ({ headers }) => {
        void reply(headers, { kind: 'error', error: { code: 'unsupported-mode', message: 'no hybrid here' } });
      }),
    );
    const response = await post('/search', { query: 'x' });
    expect(response.json()).toMatchObject({ status: 422, code: 'unsupported-mode', detail: 'no hybrid here' });
  });

  it.each([
    [{ query: ' ' }, 'invalid-argument'],
    [{ query: 'x', limit: 0 }, 'invalid-argument'],
    [{ query: 'x', limit: 1.5 }, 'invalid-argument'],
    [{ query: 'x', limit: 1_001 }, 'invalid-argument'],
    [{ query: 'x', limit: '5' }, 'invalid-argument'],
    [{ query: 'x', mode: 'fuzzy' }, 'invalid-argument'],
    [{ query: 'x', unknown: 1 }, 'invalid-argument'],
    [{}, 'invalid-argument'],
    [{ query: 'x', collections: ['nowhere'] }, 'collection-not-found'],
    [{ query: 'x', collections: ['Not A Name'] }, 'invalid-argument'],
    [{ query: 'x', collections: [] }, 'invalid-argument'],
  ])('refuses %j with %s, asking nobody', async (body, code) => {
    const asked = vi.fn();
    stops.push(await bed.hear(topics.retrievalsRequested, asked));
    expect((await post('/search', body)).json()).toMatchObject({ code });
    expect(asked).not.toHaveBeenCalled();
  });

  it('names the choices in what it says of a bad value', async () => {
    expect((await post('/search', { query: 'x', mode: 'fuzzy' })).json()).toMatchObject({
      detail: 'the body: mode must be one of "semantic", "lexical", "hybrid"',
    });
  });

  it('ends at the deadline and tells the processors', async () => {
    const before = cancelled.length;
    const response = await post('/search', { query: 'x', timeout_ms: 50 });
    expect(response.json()).toMatchObject({ status: 504, code: 'deadline-exceeded' });
    await expect.poll(() => cancelled.length).toBe(before + 1);
  });
});

describe('ask', () => {
  const answering = async (
    script: (send: (value: NewMessages['Reply'], inbox?: string) => Promise<void>) => Promise<unknown>,
  ) => {
    stops.push(
      await bed.hear(topics.questionsAsked, ({ headers }) => {
        void script((value, inbox) => reply(headers, value, inbox));
      }),
    );
  };
  const stream = (body: object) => post('/ask', body, { accept: 'text/event-stream' });

  it('answers whole, with citations and usage', async () => {
    await answering(async (send) => {
      await send({ kind: 'answer-part', attempt: 'a', index: 0, text: 'Yes' });
      await send({ kind: 'answer-end', attempt: 'a', index: 1, answer });
    });
    expect((await post('/ask', { question: 'is it?' })).json()).toEqual({
      ...{ answer: 'Yes [1].', found: true, citations: answer.citations, model: 'stub', finish_reason: 'stop' },
      ...{ usage: { input_tokens: 3, output_tokens: 2, context_tokens: 0 } },
      ...{ included: [], first_excluded: -1, missing_lists: [], missing_texts: [] },
    });
  });

  it('streams parts in order, each once, and drops what another inbox is meant to get', async () => {
    await answering(async (send) => {
      await send({ kind: 'answer-part', attempt: 'z', index: 0, text: 'foreign' }, 'another-gateway');
      await send({ kind: 'answer-part', attempt: 'a', index: 1, text: 's' });
      await send({ kind: 'answer-part', attempt: 'a', index: 0, text: 'Ye' });
      await send({ kind: 'answer-part', attempt: 'a', index: 0, text: 'Ye' });
      await send({ kind: 'answer-end', attempt: 'a', index: 2, answer });
    });
    const response = await stream({ question: 'is it?' });
    expect(response.headers['content-type']).toContain('text/event-stream');
    expect(sseEvents(response.body)).toEqual([
      ['text', { kind: 'text', text: 'Ye' }],
      ['text', { kind: 'text', text: 's' }],
      ['end', { kind: 'end', result: expect.objectContaining({ answer: 'Yes [1].' }) as unknown }],
    ]);
  });

  it('ends a stream that is begun anew with answer-interrupted; a whole answer takes the new attempt', async () => {
    await answering(async (send) => {
      await send({ kind: 'answer-part', attempt: 'a', index: 0, text: 'Ye' });
      await send({ kind: 'answer-part', attempt: 'b', index: 0, text: 'Yes' });
      await send({ kind: 'answer-end', attempt: 'b', index: 1, answer });
    });
    expect(sseEvents((await stream({ question: 'is it?' })).body)).toEqual([
      ['text', { kind: 'text', text: 'Ye' }],
      ['error', expect.objectContaining({ code: 'answer-interrupted' })],
    ]);
    expect((await post('/ask', { question: 'is it?' })).json()).toMatchObject({ answer: 'Yes [1].' });
  });

  it('ends with an error event when the model is cut off, never with silence', async () => {
    await answering(async (send) => {
      await send({ kind: 'answer-part', attempt: 'a', index: 0, text: 'Ye' });
      await send({ kind: 'error', attempt: 'a', index: 1, error: { code: 'answer-interrupted', message: 'cut' } });
    });
    expect(sseEvents((await stream({ question: 'is it?' })).body).at(-1)).toEqual([
      'error',
      expect.objectContaining({ code: 'answer-interrupted', detail: 'cut' }),
    ]);
  });

  it('answers what is refused at once with its own status, also when a stream was asked for', async () => {
    expect((await stream({ question: '' })).json()).toMatchObject({ status: 400, code: 'invalid-argument' });
    expect((await stream({ question: 'x', collections: ['nowhere'] })).json()).toMatchObject({ status: 404 });
  });

  it('tells the processors when the asker leaves', async () => {
    await answering((send) => send({ kind: 'answer-part', attempt: 'a', index: 0, text: 'Ye' }));
    const { url } = await gateway.listen();
    const leaving = new AbortController();
    const before = cancelled.length;
    const response = await fetch(`${url}/sluice/v1/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: '{"question":"is it?"}',
      signal: leaving.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await expect.poll(() => cancelled.length, { timeout: 5_000 }).toBe(before + 1);
  });
});
