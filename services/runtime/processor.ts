import type { Static, TObject } from '@sinclair/typebox';
import type { Logger } from 'pino';
import type { NewMessages } from '../../schema/generated.js';
import type { MessageHeaders } from '../../schema/headers.js';
import type { MessageOf, Topic } from '../../schema/topics.js';
import type { PortName, Ports } from '../ports/ports.js';

/** A message as a handler gets it. */
export interface Delivery<T extends Topic> {
  readonly value: MessageOf<T>;
  readonly headers: MessageHeaders;
  readonly partition: number;
  readonly offset: bigint;
  /** Epoch ms at which it was published. */
  readonly timestamp: number;
  /** 1 at the first try. */
  readonly attempt: number;
}

/** A message that a handler returns; the runtime gives it its id and publishes it. */
export interface Output<T extends Topic = Topic> {
  readonly topic: T;
  readonly value: NewMessages[T['message']];
  readonly headers?: Partial<MessageHeaders>;
}

/** Distributes over a union of topics, so that each value is checked against its own topic. */
export type OutputTo<T extends Topic> = T extends Topic ? Output<T> : never;

export const output = <T extends Topic>(
  topic: T,
  value: NewMessages[T['message']],
  headers?: Partial<MessageHeaders>,
): Output<T> => (headers === undefined ? { topic, value } : { topic, value, headers });

export interface HandlerContext<P extends PortName, C extends TObject> {
  readonly config: Static<C>;
  readonly ports: Pick<Ports, P>;
  readonly log: Logger;
  /** Aborted when the partition is lost, the asker leaves, the deadline passes, or the process stops. */
  readonly signal: AbortSignal;
}

/**
 * What became of one message of a batch. `held`: left untouched because an earlier message of its key failed. After a
 * failed message the runtime treats the later ones of its key in the batch as held, whatever they say.
 */
export type Outcome<O> = { readonly outputs: readonly O[] } | { readonly error: unknown } | 'held';

/** How long a batch may grow; its messages may belong to any keys and partitions. */
export interface BatchLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
  /** How long to wait for more after the first; 0: take what is there. */
  readonly lingerMs: number;
  /** The same while many messages come; absent: no longer than otherwise. */
  readonly busyLingerMs?: number;
}

interface Declaration<I extends Topic, O extends Topic, C extends TObject> {
  /** Also the consumer group. */
  readonly name: string;
  readonly input: I;
  readonly outputs: readonly O[];
  readonly ports: readonly PortName[];
  /** Each field has a description, a default and its unit in its name. */
  readonly config: C;
  /**
   * Names the server, of several, that a message with this key depends on. Each has slots and batches of its own, so that
   * one that is down holds up only its own messages. Default: there is one.
   */
  dependency?(key: string): string;
  /** How many messages (or batches) are handled at once, for each dependency; one at a time per key. Default 1. */
  concurrency?(config: Static<C>): number;
  /** Messages to publish when a message is dead-lettered, so that state and dead letter agree. */
  onDeadLetter?(delivery: Delivery<I>, error: unknown): readonly OutputTo<O>[];
}

interface SingleHandling<I extends Topic, O extends Topic, P extends PortName, C extends TObject> {
  handle(
    delivery: Delivery<I>,
    context: HandlerContext<P, C>,
  ): AsyncIterable<OutputTo<O>> | Promise<readonly OutputTo<O>[]>;
}

interface BatchHandling<I extends Topic, O extends Topic, P extends PortName, C extends TObject> {
  batch(config: Static<C>): BatchLimits;
  /** One outcome per delivery, in order. Throwing fails all of them; the runtime then bisects the batch. */
  handleBatch(
    deliveries: readonly Delivery<I>[],
    context: HandlerContext<P, C>,
  ): Promise<readonly Outcome<OutputTo<O>>[]>;
}

type Needs<P extends PortName> = { readonly ports: readonly P[] };

export type SingleProcessor<I extends Topic, O extends Topic, P extends PortName, C extends TObject> = Declaration<
  I,
  O,
  C
> &
  Needs<P> &
  SingleHandling<I, O, P, C>;

export type BatchProcessor<I extends Topic, O extends Topic, P extends PortName, C extends TObject> = Declaration<
  I,
  O,
  C
> &
  Needs<P> &
  BatchHandling<I, O, P, C>;

/** Any processor, for the code that runs all of them alike. */
export type AnyProcessor = Declaration<Topic, Topic, TObject> &
  (SingleHandling<Topic, Topic, never, TObject> | BatchHandling<Topic, Topic, never, TObject>);

/**
 * Declares a stream processor: what it reads, what it writes, what it needs, and a handler that knows nothing of
 * topics, commits, retries or other processors. Handlers are idempotent: a redelivered message changes nothing.
 */
export function defineProcessor<I extends Topic, O extends Topic, P extends PortName, C extends TObject>(
  processor: SingleProcessor<I, O, P, C>,
): SingleProcessor<I, O, P, C>;
export function defineProcessor<I extends Topic, O extends Topic, P extends PortName, C extends TObject>(
  processor: BatchProcessor<I, O, P, C>,
): BatchProcessor<I, O, P, C>;
export function defineProcessor<P>(processor: P): P {
  return processor;
}
