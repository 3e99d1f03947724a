import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Codec } from '../../schema/codec.js';
import type { NewMessages, Reply } from '../../schema/generated.js';
import { topics, type Topic } from '../../schema/topics.js';
import { SluiceError } from '../../services/domain/errors.js';
import type { Bus } from '../../services/ports/bus/port.js';
import type { Publisher } from '../../services/runtime/delivery/publisher.js';
import { output } from '../../services/runtime/processor.js';
import { Exchange } from './exchange.js';
import { tailTopic, type Tail } from './tail.js';

/** A request whose answer comes back here. */
export interface InboxRequest<T extends Topic> {
  readonly topic: T;
  readonly value: NewMessages[T['message']];
  readonly workspace: string;
  readonly flow?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** False: only the end counts, so an answer that is begun anew harms nobody. */
  readonly streamed: boolean;
}

/** Where this instance's callers wait for the replies to what it asked. */
export interface Inbox {
  /** Names this instance in the headers of its requests. */
  readonly id: string;
  /** Whether its own loopback message has come back: from then on no reply can be missed. */
  ready(): boolean;
  /**
   * The replies to one request, in order, the last one included. The reader who leaves before, or the aborted signal,
   * stops the processors. Throws `deadline-exceeded`, `answer-interrupted`, and `unavailable` when the gateway closes.
   */
  request<T extends Topic>(request: InboxRequest<T>): AsyncIterable<Reply>;
  close(): Promise<void>;
}

const loopbackEveryMs = 1_000;

export interface InboxOptions {
  readonly bus: Bus;
  readonly publisher: Publisher;
  readonly codec: Codec;
  readonly log: Logger;
  readonly id: string;
  onFatal(error: Error): void;
}

/** Joins the replies topic; `ready` turns true when the loopback has come back. */
export async function createInbox(options: InboxOptions): Promise<Inbox> {
  const inbox = new ReplyInbox(options);
  await inbox.start();
  return inbox;
}

class ReplyInbox implements Inbox {
  readonly id: string;
  readonly #options: InboxOptions;
  readonly #exchanges = new Map<string, Exchange>();
  readonly #whenReady: Promise<void>;
  #becomeReady: () => void = () => undefined;
  #ready = false;
  #closed = false;
  #tail: Tail | undefined;
  #loopbacks: NodeJS.Timeout | undefined;

  constructor(options: InboxOptions) {
    this.id = options.id;
    this.#options = options;
    this.#whenReady = new Promise((resolve) => (this.#becomeReady = resolve));
  }

  async start(): Promise<void> {
    const { bus, codec, log, onFatal } = this.#options;
    this.#tail = await tailTopic({
      bus,
      codec,
      log,
      onFatal,
      topic: topics.replies,
      group: `gateway-replies-${this.id}`,
      wants: ({ headers }) => headers['reply-inbox'] === this.id,
      receive: (reply, { headers }) => {
        if (reply.kind === 'loopback') this.#loopedBack();
        else this.#exchanges.get(headers['correlation-id'] ?? '')?.accept(reply);
      },
    });
    this.#sendLoopback();
    this.#loopbacks = setInterval(() => {
      this.#sendLoopback();
    }, loopbackEveryMs).unref();
  }

  ready(): boolean {
    return this.#ready && this.#tail?.joined() === true;
  }

  async *request<T extends Topic>(request: InboxRequest<T>): AsyncGenerator<Reply> {
    const { signal, timeoutMs } = request;
    signal.throwIfAborted();
    if (this.#closed) throw closing();
    const correlationId = randomUUID();
    const deadline = Date.now() + timeoutMs;
    const exchange = new Exchange(!request.streamed);
    const tooLate = setTimeout(() => {
      exchange.fail(deadlineExceeded(timeoutMs));
    }, timeoutMs);
    const leave = (): void => {
      exchange.fail(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#exchanges.set(correlationId, exchange);
    let asked = false;
    try {
      await Promise.race([this.#whenReady, exchange.failed]);
      asked = true;
      await Promise.race([this.#ask(request, correlationId, deadline), exchange.failed]);
      yield* exchange;
    } finally {
      clearTimeout(tooLate);
      signal.removeEventListener('abort', leave);
      this.#exchanges.delete(correlationId);
      if (asked && !exchange.answered) this.#cancel(correlationId, request.workspace);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#loopbacks);
    for (const exchange of this.#exchanges.values()) exchange.fail(closing());
    await this.#tail?.close();
  }

  #ask<T extends Topic>(request: InboxRequest<T>, correlationId: string, deadline: number): Promise<void> {
    const { topic, value, workspace, flow } = request;
    return this.#options.publisher.publish([
      output(topic, value, {
        'message-id': correlationId,
        'correlation-id': correlationId,
        'reply-topic': topics.replies.name,
        'reply-inbox': this.id,
        deadline: String(deadline),
        workspace,
        ...(flow === undefined ? {} : { flow }),
      }),
    ]);
  }

  #cancel(correlationId: string, workspace: string): void {
    const headers = { 'message-id': randomUUID(), 'correlation-id': correlationId, workspace };
    this.#publishQuietly(
      output(topics.cancellations, { correlation_id: correlationId }, headers),
      'could not tell the processors that an asker has left',
    );
  }

  #sendLoopback(): void {
    const headers = { 'message-id': randomUUID(), 'correlation-id': this.id, 'reply-inbox': this.id };
    this.#publishQuietly(output(topics.replies, { kind: 'loopback' }, headers), 'could not send the loopback message');
  }

  #loopedBack(): void {
    clearInterval(this.#loopbacks);
    this.#ready = true;
    this.#becomeReady();
  }

  #publishQuietly(message: Parameters<Publisher['publish']>[0][number], failure: string): void {
    this.#options.publisher.publish([message]).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, failure);
    });
  }
}

const closing = (): SluiceError => new SluiceError('unavailable', 'the server is stopping: try again in a moment');

const deadlineExceeded = (timeoutMs: number): SluiceError =>
  new SluiceError('deadline-exceeded', `no answer within ${timeoutMs} ms: try again, or allow more time (timeout_ms)`);
