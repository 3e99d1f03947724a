import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mmr } from '../../../../services/domain/ranking/mmr.js';

const at = (degrees: number): Float32Array =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));
const ids = (chosen: readonly { candidate: { id: string } }[]): string[] => chosen.map(({ candidate }) => candidate.id);

describe('maximal marginal relevance', () => {
  const candidates = [
    { id: 'a', relevance: 0.95, vector: at(0) },
    { id: 'b', relevance: 0.94, vector: at(1) },
    { id: 'c', relevance: 0.6, vector: at(80) },
  ];

  it('adds what is different before what is the same', () => {
    expect(ids(mmr(candidates, { lambda: 0.3, limit: 2 }))).toEqual(['a', 'c']);
  });

  it('with λ 1 is plain relevance, with λ 0 plain difference', () => {
    expect(ids(mmr(candidates, { lambda: 1, limit: 3 }))).toEqual(['a', 'b', 'c']);
    expect(ids(mmr(candidates, { lambda: 0, limit: 2 }))).toEqual(['a', 'c']);
  });

  it('says how redundant each choice was', () => {
    const [first, second] = mmr(candidates, { lambda: 0.5, limit: 2 });
    expect(first).toMatchObject({ value: 0.475, redundancy: 0 });
    expect(second?.redundancy).toBeCloseTo(Math.cos((80 * Math.PI) / 180), 5);
  });

  it('rewards nobody for pointing the other way', () => {
    const opposite = mmr([...candidates.slice(0, 1), { id: 'z', relevance: 0.1, vector: at(180) }], {
      lambda: 0.5,
      limit: 2,
    });
    expect(opposite[1]).toMatchObject({ redundancy: 0, value: 0.05 });
  });

  it('takes a candidate without vector, or with a zero one, for unlike the others', () => {
    const chosen = mmr(
      [
        { id: 'a', relevance: 0.9, vector: at(0) },
        { id: 'b', relevance: 0.8 },
        { id: 'c', relevance: 0.7, vector: new Float32Array(2) },
      ],
      { lambda: 0.5, limit: 3 },
    );
    expect(ids(chosen)).toEqual(['a', 'b', 'c']);
    expect(chosen.map(({ redundancy }) => redundancy)).toEqual([0, 0, 0]);
  });

  it('orders equal values by id in byte order', () => {
    const same = ['v:2', 'v:10', 'v:1'].map((id) => ({ id, relevance: 0.5 }));
    expect(ids(mmr(same, { lambda: 0.5, limit: 3 }))).toEqual(['v:1', 'v:10', 'v:2']);
  });

  it.each([-0.1, 1.1, NaN])('refuses λ %s', (lambda) => {
    expect(() => mmr(candidates, { lambda, limit: 2 })).toThrow(/between 0 and 1/);
  });

  it('chooses the same from any order of candidates, each at most once', () => {
    const candidate = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
      relevance: fc.double({ min: -1, max: 1, noNaN: true }),
      vector: fc.integer({ min: 0, max: 359 }).map(at),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(candidate, { selector: ({ id }) => id }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 0, max: 10 }),
        (given, lambda, limit) => {
          const chosen = ids(mmr(given, { lambda, limit }));
          expect(chosen).toEqual(ids(mmr([...given].reverse(), { lambda, limit })));
          expect(new Set(chosen).size).toBe(Math.min(limit, given.length));
          expect(given.map(({ id }) => id)).toEqual(expect.arrayContaining(chosen));
        },
      ),
    );
  });
});
