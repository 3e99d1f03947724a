import { PassThrough, type Readable } from 'node:stream';
import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayContext } from '../operations/context.js';
import { problemOf, sluiceError } from './problem.js';

interface EventStreamOptions<T> {
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
  /** The name of an item's event. */
  nameOf(item: T): string;
  /** What a reader gives back as Last-Event-ID, if the item has that. */
  idOf(item: T): string | undefined;
  onError(error: unknown): void;
}

/**
 * Items as server-sent events; an error is the last event, `error`, with a problem as data. The first item is awaited
 * before anything is sent, so that what is refused at once has its own HTTP status. A reader who is slow slows the
 * items; comments keep a silent connection open.
 */
async function eventStream<T>(items: AsyncIterable<T>, options: EventStreamOptions<T>): Promise<Readable> {
  const iterator = items[Symbol.asyncIterator]();
  const first = await iterator.next();
  const stream = new PassThrough();
  void pump(stream, first, iterator, options);
  return stream;
}

async function pump<T>(
  stream: PassThrough,
  first: IteratorResult<T>,
  iterator: AsyncIterator<T>,
  { heartbeatMs, signal, nameOf, idOf, onError }: EventStreamOptions<T>,
): Promise<void> {
  const heartbeat = setInterval(() => {
    if (stream.writableLength === 0) stream.write(': alive\n\n');
  }, heartbeatMs);
  try {
    for (let next = first; next.done !== true && !stream.destroyed; next = await iterator.next()) {
      const id = idOf(next.value);
      const frame = `${id === undefined ? '' : `id: ${id}\n`}event: ${nameOf(next.value)}\ndata: ${JSON.stringify(next.value)}\n\n`;
      if (!stream.write(frame)) await once(stream, 'drain', { signal });
    }
  } catch (error) {
    if (!signal.aborted) {
      onError(error);
      stream.write(`event: error\ndata: ${JSON.stringify(problemOf(sluiceError(error)))}\n\n`);
    }
  } finally {
    clearInterval(heartbeat);
    stream.end();
    await iterator.return?.().catch(() => undefined);
  }
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no', // a proxy that gathers events would hold back the answer
} as const;

/** Answers with items as server-sent events, each named by its kind. */
export async function replyWithEvents<T extends { readonly kind: string; readonly cursor?: string | null }>(
  context: GatewayContext,
  { call, log }: Pick<FastifyRequest, 'call' | 'log'>,
  reply: FastifyReply,
  items: AsyncIterable<T>,
): Promise<void> {
  const stream = await eventStream(items, {
    heartbeatMs: context.config.heartbeatMs,
    signal: call.signal,
    nameOf: ({ kind }) => kind,
    idOf: ({ cursor }) => cursor ?? undefined,
    onError: (error) => {
      log.warn({ err: error }, 'a stream broke off');
    },
  });
  void reply.headers(headers).send(stream);
}
