import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capPerSource } from '../../../../services/domain/ranking/cap-per-source.js';

describe('cap per source', () => {
  it('keeps the first hits of each source, in order', () => {
    const hits = ['a', 'a', 'b', 'a', 'c'].map((source, index) => ({ source, hit: index + 1 }));
    expect(capPerSource(hits, 2, ({ source }) => source).map(({ hit }) => hit)).toEqual([1, 2, 3, 5]);
  });

  it.each([0, -1, 1.5, NaN])('refuses a cap of %s', (cap) => {
    expect(() => capPerSource(['a'], cap, String)).toThrow(/at least 1/);
  });

  it('keeps as many of each source as it has, up to the cap', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c')), fc.integer({ min: 1, max: 4 }), (sources, cap) => {
        const count = (list: readonly string[], source: string): number => list.filter((s) => s === source).length;
        const kept = capPerSource(sources, cap, (source) => source);
        for (const source of ['a', 'b', 'c']) expect(count(kept, source)).toBe(Math.min(cap, count(sources, source)));
      }),
    );
  });
});
