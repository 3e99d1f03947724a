import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Gateway } from '../../gateway/gateway.js';
import { topics } from '../../schema/topics.js';
import { output } from '../../services/runtime/processor.js';
import { openTestBed, type TestBed } from './gateway-fixture.js';
import { startStandInLibrarian } from './stand-in-librarian.js';

let bed: TestBed;
let gateway: Gateway;
let url: string;
const cancelled: string[] = [];

beforeAll(async () => {
  bed = await openTestBed();
  gateway = await bed.gateway({ maxRequestsPerSocket: 60, heartbeatMs: 200 });
  ({ url } = await gateway.listen());
  await startStandInLibrarian(bed);
  await bed.hear(topics.cancellations, ({ value }) => cancelled.push(value.correlation_id));
});
afterAll(() => bed.close());

type Frame = Record<string, unknown>;

/** A socket and what has come over it. */
async function connect(headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/sluice/v1/socket`, { headers });
  const frames: Frame[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Frame));
  await once(socket, 'open');
  const of = (id: unknown): Frame[] => frames.filter((frame) => frame.id === id);
  return {
    socket,
    frames,
    send: (frame: unknown): void => {
      socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    },
    /** The frames of an id, once there are so many. */
    async framesOf(id: unknown, count = 1): Promise<Frame[]> {
      await expect.poll(() => of(id).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(count);
      return of(id);
    },
  };
}

describe('the socket', () => {
  it('answers every bad frame and goes on', async () => {
    const { socket, send, frames, framesOf } = await connect();
    const bad = ['', 'x', '[]', 'null', '{}', '{"id":{}}', '[[[['.repeat(10_000), '{"id":"","method":"status"}'];
    for (const frame of bad) send(frame);
    socket.send(Buffer.from([0xff, 0xfe, 0x00]));
    await expect.poll(() => frames.filter(({ id }) => id === null).length).toBe(bad.length + 1);
    for (const [id, frame] of Object.entries({
      a: { method: 'nonsense' },
      b: { method: 'toString' },
      c: { method: 'search', params: { query: 'x', limit: 0 } },
      d: { method: 'search', params: 'text' },
      e: { method: 'documents.get', params: { collection: 'default', document_id: 'none' } },
      f: { method: 7 },
      g: { method: 'status', workspace: 'Not Valid' },
      h: { method: 'documents.put', params: { collection: 'default', content_base64: '???' } },
    })) {
      send({ id, ...frame });
      const [answer] = await framesOf(id);
      expect(answer).toMatchObject({ id, error: { code: expect.any(String) as unknown } });
    }
    send({ id: 1, method: 'models' });
    expect(await framesOf(1)).toEqual([{ id: 1, result: expect.objectContaining({ reranker: null }) as unknown }]);
    socket.close();
  });

  it('takes a document, waits for it, reads and deletes it', async () => {
    const { socket, send, framesOf } = await connect();
    send({
      id: 1,
      method: 'documents.put',
      params: { collection: 'default', document_id: 's', content_base64: Buffer.from('über').toString('base64') },
    });
    const [put] = await framesOf(1);
    const { operation_id } = (put as { result: { operation_id: string } }).result;
    send({ id: 2, method: 'operations.wait', params: { operation_id } });
    expect((await framesOf(2))[0]).toMatchObject({ result: { state: 'ready', document_id: 's' } });
    send({ id: 3, method: 'documents.chunks', params: { collection: 'default', document_id: 's' } });
    expect((await framesOf(3))[0]).toMatchObject({ result: { chunks: [{ text: 'über' }] } });
    send({ id: 4, method: 'documents.delete', params: { collection: 'default', document_id: 's' } });
    expect((await framesOf(4))[0]).toMatchObject({ result: { state: 'accepted' } });
    socket.close();
  });

  it('keeps 50 streamed questions apart', async () => {
    const stop = await bed.hear(topics.questionsAsked, ({ value, headers }) => {
      const send = (index: number, more: object) =>
        bed.publisher.publish([
          output(
            topics.replies,
            { kind: 'answer-part', attempt: 'a', index, ...more },
            {
              'correlation-id': headers['correlation-id'] ?? '',
              'reply-inbox': headers['reply-inbox'] ?? '',
            },
          ),
        ]);
      const answer = { text: value.question, found: true, citations: [], model: 'm', finish_reason: 'stop' };
      void send(0, { text: value.question }).then(() => send(1, { kind: 'answer-end', answer }));
    });
    const { socket, send, framesOf } = await connect();
    const ids = Array.from({ length: 50 }, (_, index) => `q${index}`);
    for (const id of ids) send({ id, method: 'ask', params: { question: `about ${id}?` } });
    for (const id of ids) {
      expect(await framesOf(id, 3)).toMatchObject([
        { part: { kind: 'text', text: `about ${id}?` } },
        { part: { kind: 'end', result: { answer: `about ${id}?` } } },
        { end: true },
      ]);
    }
    await stop();
    socket.close();
  });

  it('cancels one call, and all when it closes, and tells the processors', async () => {
    const before = cancelled.length;
    const { socket, send, framesOf } = await connect();
    for (const id of [1, 2, 3]) send({ id, method: 'ask', params: { question: 'unanswered?' } });
    send({ id: 9, method: 'models' });
    await framesOf(9);
    send({ id: 2, cancel: true });
    expect(await framesOf(2)).toEqual([{ id: 2, cancelled: true }]);
    await expect.poll(() => cancelled.length).toBe(before + 1);
    send({ id: 77, cancel: true });
    send({ id: 1, method: 'models' });
    expect((await framesOf(null))[0]).toMatchObject({ error: { code: 'invalid-argument' } });
    socket.close();
    await expect.poll(() => cancelled.length).toBe(before + 3);
  });

  it('bounds the requests in flight', async () => {
    const { socket, send, framesOf } = await connect();
    for (let id = 1; id <= 61; id++) send({ id, method: 'events.watch', params: { from: 'now' } });
    expect((await framesOf(61))[0]).toMatchObject({ error: { code: 'unavailable' } });
    socket.close();
  });

  it('cuts off a peer that answers no ping', async () => {
    const { socket } = await connect();
    socket.pong = () => undefined;
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(1006);
  });

  it('refuses a foreign Origin before it opens', async () => {
    await expect(connect({ origin: 'http://evil.example' })).rejects.toThrow('403');
  });
});

describe('a watch', () => {
  const put = (id: string, content: string) =>
    fetch(`${url}/sluice/v1/collections/default/documents/${id}?wait=true`, { method: 'PUT', body: content });

  it('lists what is there, then tells of each change once', async () => {
    await put('w1', 'one');
    const { socket, send, frames, framesOf } = await connect();
    send({ id: 'w', method: 'events.watch', params: { collection: 'default' } });
    await expect.poll(() => frames.some(({ part }) => (part as Frame | undefined)?.kind === 'listed')).toBe(true);
    const listed = await framesOf('w', 2);
    expect(listed.map(({ part }) => part)).toContainEqual(
      expect.objectContaining({ kind: 'document', document_id: 'w1', deleted: false }),
    );
    expect((listed.at(-1)?.part as Frame).kind).toBe('listed');
    await put('w2', 'two');
    const [, , ...changes] = await framesOf('w', listed.length + 1);
    expect(changes.at(-1)?.part).toMatchObject({ document_id: 'w2', newest: { state: 'ready' } });
    socket.close();
  });

  it('shows an idle reader that it lives', async () => {
    const response = await fetch(`${url}/sluice/v1/events?from=now&document_id=none`);
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes(': alive')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(text).toContain('event: listed');
    await reader?.cancel();
  });
});

describe('a wait', () => {
  it('ends when its operation does, not before, and knows only its own workspace', async () => {
    const key = { workspace: 'default', collection: 'default', documentId: 'slow' };
    const operation = await bed.ports.catalog.createOperation({ ...key, id: crypto.randomUUID(), kind: 'submit' });
    const at = `${url}/sluice/v1/operations/${operation.id}`;
    expect(await (await fetch(`${at}?wait=1`)).json()).toMatchObject({ state: 'accepted' });
    expect((await fetch(at, { headers: { 'x-sluice-workspace': 'other' } })).status).toBe(404);
    expect((await fetch(`${at}?wait=soon`)).status).toBe(400);
  });
});

describe('closing', () => {
  it('answers those who wait and lets go of those who are idle', async () => {
    const own = await bed.gateway({ heartbeatMs: 60_000 });
    const { url: there } = await own.listen();
    const watching = await fetch(`${there}/sluice/v1/events?from=now`);
    const asking = fetch(`${there}/sluice/v1/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"question":"unanswered?"}',
    });
    const socket = new WebSocket(`${there.replace('http', 'ws')}/sluice/v1/socket`);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await fetch(`${there}/healthz/live`);
    const begun = performance.now();
    await own.close();
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await (await asking).json()).toMatchObject({ status: 503, code: 'unavailable' });
    expect(await watching.text()).toContain('event: listed');
    await closed;
    await expect(fetch(`${there}/healthz/live`)).rejects.toThrow();
  });

  it('says that a port is taken', async () => {
    const own = await bed.gateway({ port: Number(new URL(url).port) });
    await expect(own.listen()).rejects.toMatchObject({ code: 'configuration-invalid' });
    await expect(own.listen()).rejects.toThrow(/is in use by another process/);
  });
});
