import type { Tracer } from '@opentelemetry/api';
import { UndecodableError, type Codec } from '../../../schema/codec.js';
import { SluiceError } from '../../domain/errors.js';
import type { OutgoingRecord } from '../../ports/bus/port.js';
import type { AnyProcessor, Output } from '../processor.js';
import type { Emitter } from './emitter.js';
import { abandonable } from './ending.js';
import type { Failure } from './failures.js';
import { deliveryOf, handleBatch, handleOne, type BatchItem, type Context, type Handled } from './handling.js';
import { messageHeaders } from './headers.js';
import type { Taken } from './keyed-queue.js';
import type { DeliveryMetrics } from './metrics.js';
import { deadlineOf, type RequestWatch } from './request-watch.js';
import type { DeliverySettings } from './settings.js';
import type { Task } from './task.js';
import { asError } from './thrown.js';
import { traced } from './tracing.js';

/** What one attempt made of a message. Outputs of one that `passed` are durable. */
export type Outcome =
  | { readonly kind: 'passed'; readonly outputs: number }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'held' }
  | { readonly kind: 'unwanted'; readonly because: 'expired' | 'cancelled' };

interface AttemptsOptions {
  readonly processor: AnyProcessor;
  readonly codec: Codec;
  readonly emitter: Emitter;
  readonly contextFor: (signal: AbortSignal) => Context;
  /** Request topics only. */
  readonly watch: RequestWatch | undefined;
  readonly tracer: Tracer;
  readonly metrics: DeliveryMetrics;
  readonly settings: DeliverySettings;
}

/** Takes messages through decoding, handling and publishing once. */
export class Attempts {
  readonly #options: AttemptsOptions;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** One outcome per task. Rejects only when the signal is aborted; what was done by then is to be discarded. */
  async run(taken: readonly Taken<Task>[], signal: AbortSignal): Promise<ReadonlyMap<Task, Outcome>> {
    const { processor, metrics, settings } = this.#options;
    const outcomes = new Map<Task, Outcome>();
    const items = await this.#decode(taken, outcomes);
    if (items.length === 0) return outcomes;
    const started = performance.now();
    const work = 'handleBatch' in processor ? this.#batch(items, signal) : this.#single(items, signal);
    try {
      for (const [task, outcome] of await abandonable(work, signal, settings.abandonAfterMs)) {
        outcomes.set(task, outcome);
      }
    } finally {
      metrics.took(processor.name, (performance.now() - started) / 1000);
    }
    signal.throwIfAborted();
    return outcomes;
  }

  /** Sorts out what is not to be handled; a message that fails here holds the later ones of its key. */
  async #decode(taken: readonly Taken<Task>[], outcomes: Map<Task, Outcome>): Promise<readonly BatchItem[]> {
    const { codec, processor } = this.#options;
    const items: BatchItem[] = [];
    for (const { lane, items: tasks } of taken) {
      let stuck = false;
      for (const task of tasks) {
        const because = this.#unwanted(task);
        if (stuck) outcomes.set(task, { kind: 'held' });
        else if (because !== undefined) outcomes.set(task, { kind: 'unwanted', because });
        else {
          try {
            const delivery = await deliveryOf(codec, processor.input, task);
            if (task.deaths === undefined) items.push({ task, key: lane.key, delivery });
            else {
              outcomes.set(task, { kind: 'failed', failure: { thrown: deadly(task.deaths), delivery, final: true } });
              stuck = true;
            }
          } catch (thrown) {
            outcomes.set(task, { kind: 'failed', failure: { thrown: decodeFailure(task, thrown) } });
            stuck = true;
          }
        }
      }
    }
    return items;
  }

  #unwanted(task: Task): 'expired' | 'cancelled' | undefined {
    const { watch } = this.#options;
    if (watch === undefined) return undefined;
    const headers = messageHeaders(task.record);
    const deadline = deadlineOf(headers);
    if (deadline !== undefined && deadline <= Date.now()) return 'expired';
    return watch.isCancelled(headers['correlation-id']) ? 'cancelled' : undefined;
  }

  async #single(items: readonly BatchItem[], signal: AbortSignal): Promise<ReadonlyMap<Task, Outcome>> {
    const { processor, contextFor, emitter, tracer } = this.#options;
    const outcomes = new Map<Task, Outcome>();
    if (!('handle' in processor)) return outcomes;
    for (const { task, delivery } of items) {
      let published = 0;
      try {
        await traced(tracer, processor.name, [delivery.headers], async (trace) => {
          const publish = async (outputs: readonly Output[]): Promise<void> => {
            const records = this.#encode(delivery.headers, outputs, published, trace);
            signal.throwIfAborted();
            await emitter.publish(records, signal);
            published += outputs.length;
          };
          await publish(await handleOne(processor, delivery, contextFor(signal), publish));
        });
        outcomes.set(task, { kind: 'passed', outputs: published });
      } catch (thrown) {
        const final = processor.input.class === 'request' && published > 0;
        outcomes.set(task, { kind: 'failed', failure: { thrown, delivery, final } });
      }
    }
    return outcomes;
  }

  async #batch(items: readonly BatchItem[], signal: AbortSignal): Promise<ReadonlyMap<Task, Outcome>> {
    const { processor, contextFor, tracer } = this.#options;
    const outcomes = new Map<Task, Outcome>();
    if (!('handleBatch' in processor)) return outcomes;
    const inputs = items.map(({ delivery }) => delivery.headers);
    await traced(tracer, processor.name, inputs, async (trace) => {
      const handled = await handleBatch(processor, items, contextFor(signal));
      signal.throwIfAborted();
      const stuckKeys = new Set<string>();
      const ready: { readonly item: BatchItem; readonly records: readonly OutgoingRecord[] }[] = [];
      const fail = (item: BatchItem, thrown: unknown): void => {
        outcomes.set(item.task, { kind: 'failed', failure: { thrown, delivery: item.delivery } });
        stuckKeys.add(item.key);
      };
      for (const item of items) {
        const outcome: Handled = handled.get(item.task) ?? { kind: 'held' };
        if (stuckKeys.has(item.key) || outcome.kind === 'held') outcomes.set(item.task, { kind: 'held' });
        else if (outcome.kind === 'failed') fail(item, outcome.thrown);
        else {
          try {
            ready.push({ item, records: this.#encode(item.delivery.headers, outcome.outputs, 0, trace) });
          } catch (thrown) {
            fail(item, thrown);
          }
        }
      }
      // Only what could not be published holds the ones behind it: those before a failed one have passed.
      stuckKeys.clear();
      await this.#publishAll(ready, signal, (item, records, thrown) => {
        if (stuckKeys.has(item.key)) outcomes.set(item.task, { kind: 'held' });
        else if (thrown !== undefined) fail(item, thrown.value);
        else outcomes.set(item.task, { kind: 'passed', outputs: records });
      });
    });
    return outcomes;
  }

  /** All at once; if the bus refuses one of them, each by itself, so that only that one fails. */
  async #publishAll(
    ready: readonly { readonly item: BatchItem; readonly records: readonly OutgoingRecord[] }[],
    signal: AbortSignal,
    settle: (item: BatchItem, records: number, thrown?: { readonly value: unknown }) => void,
  ): Promise<void> {
    const { emitter } = this.#options;
    try {
      await emitter.publish(
        ready.flatMap(({ records }) => records),
        signal,
      );
      for (const { item, records } of ready) settle(item, records.length);
    } catch {
      for (const { item, records } of ready) {
        signal.throwIfAborted();
        try {
          await emitter.publish(records, signal);
          settle(item, records.length);
        } catch (value) {
          settle(item, 0, { value });
        }
      }
    }
  }

  #encode(
    input: BatchItem['delivery']['headers'],
    outputs: readonly Output[],
    firstIndex: number,
    trace: Parameters<Emitter['encode']>[2]['trace'],
  ): readonly OutgoingRecord[] {
    const { processor, emitter } = this.#options;
    const undeclared = outputs.find(({ topic }) => !processor.outputs.includes(topic));
    if (undeclared !== undefined) {
      throw new SluiceError(
        'internal',
        `${processor.name} returned a message for "${undeclared.topic.name}", which it does not declare as an output`,
      );
    }
    return emitter.encode(input, outputs, { firstIndex, ...(trace === undefined ? {} : { trace }) });
  }
}

const deadly = (deaths: number): SluiceError =>
  new SluiceError('internal', `the process died ${deaths} times while handling it`);

function decodeFailure({ record }: Task, thrown: unknown): unknown {
  if (!(thrown instanceof UndecodableError)) return thrown;
  const place = `${record.topic}/${record.partition} offset ${record.offset}`;
  return new SluiceError('undecodable', `the message at ${place} cannot be read: ${asError(thrown).message}`, {
    cause: thrown,
  });
}
