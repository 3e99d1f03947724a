import { describe, expect, it } from 'vitest';
import { pairedBootstrap } from '../../../cli/eval/bootstrap.js';

describe('paired bootstrap', () => {
  it('finds no difference between a list and itself', () => {
    const figures = [1, 0, 1, 1, 0];
    expect(pairedBootstrap(figures, figures)).toEqual({
      difference: 0,
      low: 0,
      high: 0,
      p_value: 1,
      significant: false,
    });
  });

  it('calls a steady gain significant and names its size', () => {
    const a = Array.from({ length: 100 }, (_, i) => (i % 10 === 0 ? 0 : 1));
    const b = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 0 : 1));
    const found = pairedBootstrap(a, b);
    expect(found.difference).toBeCloseTo(0.4);
    expect(found.significant).toBe(true);
    expect(found.low).toBeGreaterThan(0.25);
    expect(found.high).toBeLessThan(0.55);
    expect(pairedBootstrap(b, a).difference).toBeCloseTo(-0.4);
  });

  it('does not call one question among a hundred significant', () => {
    const a = Array.from({ length: 100 }, (_, i) => (i === 0 ? 1 : 0.5));
    const b = Array.from({ length: 100 }, () => 0.5);
    expect(pairedBootstrap(a, b).significant).toBe(false);
  });

  it('has nothing to say without questions, and refuses lists that are not paired', () => {
    expect(pairedBootstrap([], []).significant).toBe(false);
    expect(() => pairedBootstrap([1], [])).toThrow(RangeError);
  });
});
