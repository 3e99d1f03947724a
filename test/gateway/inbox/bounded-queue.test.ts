import { describe, expect, it } from 'vitest';
import { BoundedQueue } from '../../../gateway/inbox/bounded-queue.js';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}

const tooMuch = () => new Error('too much');

describe('BoundedQueue', () => {
  it('gives what is in it before its end', async () => {
    const queue = new BoundedQueue<number>(10, tooMuch);
    queue.push(1);
    queue.push(2);
    queue.end();
    queue.push(3);
    expect(await all(queue)).toEqual([1, 2]);
  });

  it('wakes its reader', async () => {
    const queue = new BoundedQueue<number>(10, tooMuch);
    const reading = all(queue);
    await Promise.resolve();
    queue.push(1);
    queue.fail(new Error('broken'));
    await expect(reading).rejects.toThrow('broken');
  });

  it('ends with an error, and holds nothing more, when its reader is too slow', async () => {
    const queue = new BoundedQueue<number>(2, tooMuch);
    for (const item of [1, 2, 3, 4]) queue.push(item);
    await expect(all(queue)).rejects.toThrow('too much');
  });
});
