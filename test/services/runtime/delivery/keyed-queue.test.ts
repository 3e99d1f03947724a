import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { eventually } from './harness.js';
import { KeyedQueue, type Queued } from '../../../../services/runtime/delivery/keyed-queue.js';

interface Item extends Queued {
  readonly key: string;
  readonly index: number;
}
const item = (key: string, index: number, change: Partial<Item> = {}): Item => ({
  key,
  index,
  bytes: 1,
  maxBatch: Number.POSITIVE_INFINITY,
  ...change,
});
const quiet = (): void => undefined;
const filled = (items: readonly Item[]): KeyedQueue<Item> => {
  const queue = new KeyedQueue<Item>(quiet);
  for (const each of items) queue.add(each.key, each);
  return queue;
};
const indexes = (queue: KeyedQueue<Item>, maxItems: number, maxBytes = 1_000): number[] =>
  queue.take({ maxItems, maxBytes }).flatMap(({ items }) => items.map(({ index }) => index));

describe('keyed queue', () => {
  it('hands out each key in order, one taker at a time, whatever is taken and given back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.infiniteStream(fc.nat()),
        (keys, maxItems, choices) => {
          const queue = filled(keys.map((key, index) => item(key, index)));
          const done: Item[] = [];
          let inHand = [...queue.take({ maxItems, maxBytes: 1_000 })];
          while (inHand.length > 0) {
            expect(new Set(inHand.map(({ lane }) => lane.key)).size).toBe(inHand.length);
            const [choice = 0, part = 0] = choices.take(2);
            const [taken] = inHand.splice(choice % inHand.length, 1);
            if (taken === undefined) break;
            // Some of it, at least the first, is finished; the rest comes back.
            const finished = 1 + (part % taken.items.length);
            done.push(...taken.items.slice(0, finished));
            queue.giveBack(taken.lane, taken.items.slice(finished));
            inHand = [...inHand, ...queue.take({ maxItems, maxBytes: 1_000 })];
          }
          expect(done).toHaveLength(keys.length);
          for (const key of ['a', 'b', 'c']) {
            const own = done.filter((each) => each.key === key).map(({ index }) => index);
            expect(own).toEqual([...own].sort((a, b) => a - b));
          }
        },
      ),
    );
  });

  it('keeps a batch within its items and bytes, but takes one that is too large alone', () => {
    expect(indexes(filled([item('a', 0), item('b', 1), item('c', 2)]), 2)).toEqual([0, 1]);
    expect(indexes(filled([item('a', 0, { bytes: 6 }), item('b', 1, { bytes: 6 })]), 5, 10)).toEqual([0]);
    expect(indexes(filled([item('a', 0, { bytes: 60 }), item('b', 1)]), 5, 10)).toEqual([0]);
  });

  it('takes an item that is to be alone, alone', () => {
    const queue = filled([item('a', 0), item('b', 1, { maxBatch: 1 }), item('c', 2)]);
    expect(indexes(queue, 10)).toEqual([0, 2]);
    expect(indexes(queue, 10)).toEqual([1]);
  });

  it('lets a key wait for its retry while the others go on', async () => {
    const onReady = vi.fn();
    const queue = new KeyedQueue<Item>(onReady);
    queue.add('a', item('a', 0));
    const [taken] = queue.take({ maxItems: 1, maxBytes: 1 });
    if (taken === undefined) throw new Error('nothing taken');
    queue.giveBack(taken.lane, taken.items, 5);
    queue.add('a', item('a', 1));
    queue.add('b', item('b', 2));
    expect(indexes(queue, 10)).toEqual([2]);
    onReady.mockClear();
    await eventually(() => {
      expect(onReady).toHaveBeenCalled();
    });
    expect(indexes(queue, 10)).toEqual([0, 1]);
  });

  it('drops what is not in hand', () => {
    const queue = filled([item('a', 0), item('b', 1), item('b', 2)]);
    const [taken] = queue.take({ maxItems: 1, maxBytes: 1 });
    expect(queue.drop(() => true).map(({ index }) => index)).toEqual([1, 2]);
    if (taken !== undefined) queue.giveBack(taken.lane, taken.items);
    expect(indexes(queue, 10)).toEqual([0]);
  });
});
