import type { TObject } from '@sinclair/typebox';
import type { Codec } from '../../../schema/codec.js';
import type { Topic } from '../../../schema/topics.js';
import { SluiceError } from '../../domain/errors.js';
import type { AnyProcessor, Delivery, HandlerContext, Output } from '../processor.js';
import { messageHeaders } from './headers.js';
import type { Task } from './task.js';
import { classOf } from './thrown.js';

/** What a handler made of one message. */
export type Handled =
  | { readonly kind: 'outputs'; readonly outputs: readonly Output[] }
  | { readonly kind: 'failed'; readonly thrown: unknown; readonly delivery?: Delivery<Topic> }
  /** Left alone because an earlier message of its key failed. */
  | { readonly kind: 'held' };

export type Context = HandlerContext<never, TObject>;

/** The message of a task, decoded anew for each attempt: a handler may change what it is given. Rejects as the codec does. */
export async function deliveryOf(codec: Codec, input: Topic, task: Task): Promise<Delivery<Topic>> {
  const { record } = task;
  return {
    value: await codec.decode(input.message, record.value),
    headers: messageHeaders(record),
    partition: record.partition,
    offset: record.offset,
    timestamp: record.timestamp,
    attempt: task.failures + 1,
  };
}

/** One message through a processor without batches; outputs of a stream go to `publish` as they come. */
export async function handleOne(
  processor: Extract<AnyProcessor, { handle: unknown }>,
  delivery: Delivery<Topic>,
  context: Context,
  publish: (outputs: readonly Output[]) => Promise<void>,
): Promise<readonly Output[]> {
  const result = processor.handle(delivery, context);
  if (!(Symbol.asyncIterator in result)) return result;
  for await (const output of result) {
    context.signal.throwIfAborted();
    await publish([output]);
  }
  return [];
}

export interface BatchItem {
  readonly task: Task;
  readonly key: string;
  readonly delivery: Delivery<Topic>;
}

/**
 * Many messages through a processor with batches. When the handler throws, the batch is halved until the message that
 * makes it throw is alone; an outage is everyone's, so it halves nothing. Never rejects but when aborted.
 */
export async function handleBatch(
  processor: Extract<AnyProcessor, { handleBatch: unknown }>,
  items: readonly BatchItem[],
  context: Context,
): Promise<ReadonlyMap<Task, Handled>> {
  const handled = new Map<Task, Handled>();
  const stuckKeys = new Set<string>();

  const note = ({ task, key, delivery }: BatchItem, outcome: Handled): void => {
    handled.set(task, outcome.kind === 'failed' ? { ...outcome, delivery } : outcome);
    if (outcome.kind !== 'outputs') stuckKeys.add(key);
  };

  const attempt = async (all: readonly BatchItem[]): Promise<void> => {
    const batch = all.filter((item) => !stuckKeys.has(item.key));
    for (const item of all) if (stuckKeys.has(item.key)) handled.set(item.task, { kind: 'held' });
    if (batch.length === 0) return;
    context.signal.throwIfAborted();
    try {
      const outcomes = await processor.handleBatch(
        batch.map(({ delivery }) => delivery),
        context,
      );
      if (outcomes.length !== batch.length) {
        throw new SluiceError('internal', `${outcomes.length} outcomes came back for a batch of ${batch.length}`);
      }
      batch.forEach((item, index) => {
        const outcome = outcomes[index];
        if (stuckKeys.has(item.key) || outcome === undefined || outcome === 'held') note(item, { kind: 'held' });
        else if ('error' in outcome) note(item, { kind: 'failed', thrown: outcome.error });
        else note(item, { kind: 'outputs', outputs: outcome.outputs });
      });
    } catch (thrown) {
      context.signal.throwIfAborted();
      if (batch.length === 1 || classOf(thrown) === 'unavailable') {
        for (const item of batch) note(item, { kind: 'failed', thrown });
        return;
      }
      const half = batch.length >> 1;
      await attempt(batch.slice(0, half));
      await attempt(batch.slice(half));
    }
  };

  await attempt(items);
  return handled;
}
