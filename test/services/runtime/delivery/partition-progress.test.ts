import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PartitionProgress } from '../../../../services/runtime/delivery/partition-progress.js';

const progress = (): PartitionProgress => new PartitionProgress({ topic: 't', partition: 0 });

describe('partition progress', () => {
  it('never lets an offset be committed past an unfinished message, and in the end all of them', () => {
    // Offsets ascend with gaps, as on Kafka; they finish in any order.
    const offsets = fc.uniqueArray(fc.bigInt({ min: 0n, max: 10_000n }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(offsets, fc.infiniteStream(fc.nat()), (unsorted, order) => {
        const sorted = [...unsorted].sort((a, b) => Number(a - b));
        const tracked = progress();
        for (const offset of sorted) expect(tracked.begin({ offset })).toBe(true);
        const open = new Set(sorted);
        while (open.size > 0) {
          const [pick = 0] = order.take(1);
          const offset = [...open][pick % open.size] ?? 0n;
          tracked.finish(offset);
          open.delete(offset);
          const nextOffset = tracked.committable();
          const lowest = sorted.find((each) => open.has(each));
          if (nextOffset !== undefined) {
            for (const each of sorted) if (each < nextOffset) expect(open.has(each)).toBe(false);
            if (lowest !== undefined) expect(nextOffset).toBeLessThanOrEqual(lowest);
          }
        }
        expect(tracked.committable()).toBe((sorted.at(-1) ?? 0n) + 1n);
        expect(tracked.tracked).toBe(0);
      }),
    );
  });

  it('knows records that are read again, queued or finished', () => {
    const tracked = progress();
    for (const offset of [5n, 6n, 7n]) tracked.begin({ offset });
    tracked.finish(5n);
    tracked.finish(7n);
    for (const offset of [4n, 5n, 6n, 7n]) expect(tracked.begin({ offset })).toBe(false);
    expect(tracked.begin({ offset: 8n })).toBe(true);
  });

  it('has nothing to commit twice, nor once it is revoked', () => {
    const tracked = progress();
    tracked.begin({ offset: 1n });
    tracked.finish(1n);
    expect(tracked.committable()).toBe(2n);
    tracked.committed(2n);
    expect(tracked.committable()).toBeUndefined();
    tracked.begin({ offset: 2n });
    tracked.finish(2n);
    tracked.revoked = true;
    expect(tracked.committable()).toBeUndefined();
  });
});
