import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../../services/domain/errors.js';
import { Batches } from '../../../../../services/ports/vector-store/qdrant/batches.js';

/** Records what is run and how much of it at once; an item that `refuses` says so of ends its batch. */
function recorded(refuses: (item: number) => Error | undefined = () => undefined): {
  readonly ran: (readonly number[])[];
  readonly batches: Batches<number>;
  mostAtOnce(): number;
} {
  const ran: (readonly number[])[] = [];
  let running = 0;
  let most = 0;
  const batches = new Batches<number>({
    ...{ streams: 2, maxItems: 4, maxBytes: 100, bytesOf: (item) => item },
    async run(items) {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      const refusal = items.map(refuses).find((error) => error !== undefined);
      if (refusal !== undefined) throw refusal;
      ran.push(items);
    },
  });
  return { ran, batches, mostAtOnce: () => most };
}

describe('batches', () => {
  it('are bounded by count and by bytes, and lone items of any size pass', async () => {
    const { ran, batches } = recorded();
    await batches.submit([1, 1, 1, 1, 1, 60, 60, 300, 1]);
    expect(ran).toEqual([[1, 1, 1, 1], [1, 60], [60], [300], [1]]);
  });

  it('gather what many callers submit at once, on no more streams than allowed', async () => {
    const { ran, batches, mostAtOnce } = recorded();
    await Promise.all(Array.from({ length: 40 }, () => batches.submit([1])));
    expect(ran).toHaveLength(10);
    expect(mostAtOnce()).toBe(2);
  });

  it('leave the others alone when the items of one caller are refused', async () => {
    const { ran, batches } = recorded((item) => (item === 7 ? new Error('refused') : undefined));
    const outcomes = await Promise.allSettled([[1, 2], [7], [3]].map((items) => batches.submit(items)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ran.flat().sort()).toEqual([1, 2, 3]);
  });

  it('end for everybody in the batch when the server is away', async () => {
    const { ran, batches } = recorded(() => new SluiceError('unavailable', 'away'));
    const outcomes = await Promise.allSettled([[1], [2]].map((items) => batches.submit(items)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(ran).toEqual([]);
  });
});
