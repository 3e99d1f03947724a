import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Isolation } from '../../../../services/runtime/delivery/isolation.js';

const never = (): AbortSignal => new AbortController().signal;

describe('isolation', () => {
  it('lets one that wants to be alone be alone, and everybody in in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }),
        fc.infiniteStream(fc.nat(3)),
        async (wishes, turns) => {
          const isolation = new Isolation();
          const inside = new Set<number>();
          let most = 0;
          await Promise.all(
            wishes.map(async (alone, index) => {
              const leave = await isolation.enter(alone, never());
              inside.add(index);
              if (alone) expect(inside.size).toBe(1);
              const [turn = 0] = turns.take(1);
              for (let left = turn; left > 0; left--) await Promise.resolve();
              if (alone) expect(inside.size).toBe(1);
              most = Math.max(most, inside.size);
              inside.delete(index);
              leave();
            }),
          );
          expect(inside.size).toBe(0);
          expect(most).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('costs nothing while nobody wants to be alone', () => {
    expect(typeof new Isolation().enter(false, never())).toBe('function');
  });

  it('forgets one that gives up waiting', async () => {
    const isolation = new Isolation();
    const leave = await isolation.enter(false, never());
    const controller = new AbortController();
    const waiting = isolation.enter(true, controller.signal);
    const behind = isolation.enter(false, never());
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    (await behind)();
    leave();
    (await isolation.enter(true, never()))();
  });
});
