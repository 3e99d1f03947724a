import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { relative } from '../../../../services/domain/ranking/relative.js';
import { rrf } from '../../../../services/domain/ranking/rrf.js';

const ids = (fused: readonly { readonly id: string }[]): string[] => fused.map(({ id }) => id);
const scored = (entries: Record<string, number>): { id: string; score: number }[] =>
  Object.entries(entries).map(([id, score]) => ({ id, score }));

describe('reciprocal rank fusion', () => {
  it('adds 1 / (60 + rank) of each list', () => {
    const fused = rrf([
      ['a', 'b', 'c'],
      ['c', 'a'],
    ]);
    expect(fused.map(({ id, score }) => [id, score.toFixed(6)])).toEqual([
      ['a', '0.032522'],
      ['c', '0.032266'],
      ['b', '0.016129'],
    ]);
  });

  it('weighs the lists', () => {
    expect(ids(rrf([['a'], ['b']], { weights: [1, 10] }))).toEqual(['b', 'a']);
  });

  it('puts what both lists hold before what one holds', () => {
    expect(
      ids(
        rrf([
          ['a', 'b'],
          ['x', 'y', 'b'],
        ]),
      )[0],
    ).toBe('b');
  });

  it('leaves blank ids out, and the ranks after them close up', () => {
    expect(rrf([['', 'a', ' ', 'b']])).toEqual(rrf([['a', 'b']]));
  });

  it('counts a repetition once, at its first place, and later ranks close up', () => {
    expect(rrf([['a', 'a', 'b', 'a', 'c']])).toEqual(rrf([['a', 'b', 'c']]));
  });

  it('orders equal scores by id in byte order', () => {
    expect(ids(rrf([['v:2'], ['v:10']]))).toEqual(['v:10', 'v:2']);
    expect(ids(rrf([['\u{10000}'], ['\uffff']]))).toEqual(['\uffff', '\u{10000}']);
  });

  it('reports what each list contributed', () => {
    expect(rrf([['a'], ['b', 'a']])[0]).toEqual({
      id: 'a',
      score: 1 / 61 + 1 / 62,
      contributions: [1 / 61, 1 / 62],
    });
  });

  it('refuses weights that do not fit', () => {
    expect(() => rrf([['a'], ['b']], { weights: [1] })).toThrow(/do not fit 2 lists/);
    expect(() => rrf([['a']], { weights: [-1] })).toThrow(/0 or more/);
    expect(() => rrf([['a']], { weights: [NaN] })).toThrow(/0 or more/);
  });
});

describe('relative score fusion', () => {
  it('adds min-max normalised scores by weight', () => {
    const fused = relative([scored({ a: 0.9, b: 0.7, c: 0.5 }), scored({ c: 12, a: 4 })], [0.3, 0.7]);
    expect(ids(fused)).toEqual(['c', 'a', 'b']);
    expect(fused.map(({ score }) => score)).toEqual(
      [0.7, 0.3, 0.15].map((value) => expect.closeTo(value, 12) as number),
    );
  });

  it('does not depend on the scale of a list', () => {
    const cosine = scored({ a: 0.9, b: 0.7, c: 0.5 });
    const bm25 = scored({ c: 12, a: 4 });
    const scaled = bm25.map(({ id, score }) => ({ id, score: score * 100 + 7 }));
    expect(ids(relative([cosine, scaled]))).toEqual(ids(relative([cosine, bm25])));
  });

  it('takes every entry of a list without differences for its best', () => {
    expect(relative([scored({ a: 3 }), scored({ b: 0.2, c: 0.2 })], [0.3, 0.7])).toEqual([
      { id: 'b', score: 0.7, contributions: [0, 0.7] },
      { id: 'c', score: 0.7, contributions: [0, 0.7] },
      { id: 'a', score: 0.3, contributions: [0.3, 0] },
    ]);
  });

  it('leaves out blank ids and scores that are no numbers', () => {
    const list = [
      { id: '', score: 9 },
      { id: 'n', score: NaN },
      { id: 'i', score: Infinity },
      ...scored({ a: 2, b: 1 }),
      { id: 'a', score: 0 },
    ];
    expect(relative([list])).toEqual(relative([scored({ a: 2, b: 1 })]));
  });
});

describe('any fusion', () => {
  const entry = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'v:2', 'v:10', ''),
    score: fc.double({ min: -1, max: 40, noNaN: true }),
  });
  const lists = fc.array(
    fc.array(entry, { maxLength: 12 }).map((list) => [...list].sort((a, b) => b.score - a.score)),
    { minLength: 1, maxLength: 4 },
  );
  const fusions = {
    rrf: (input: { id: string; score: number }[][]) => rrf(input.map((list) => list.map(({ id }) => id))),
    relative: (input: { id: string; score: number }[][]) => relative(input),
  };

  it.each(Object.entries(fusions))('%s never invents, loses or doubles an id', (_, fuse) => {
    fc.assert(
      fc.property(lists, (input) => {
        const given = new Set(input.flatMap((list) => list.map(({ id }) => id)).filter((id) => id !== ''));
        const fused = ids(fuse(input));
        expect(new Set(fused)).toEqual(given);
        expect(fused.length).toBe(given.size);
      }),
    );
  });

  it.each(Object.entries(fusions))('%s sorts by descending score and sums its contributions', (_, fuse) => {
    fc.assert(
      fc.property(lists, (input) => {
        const fused = fuse(input);
        fused.forEach(({ score, contributions }, index) => {
          expect(score).toBeLessThanOrEqual(fused[index - 1]?.score ?? Infinity);
          expect(contributions.reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 10);
        });
      }),
    );
  });

  it.each(Object.entries(fusions))('%s gives the same whatever the order of the lists', (_, fuse) => {
    fc.assert(
      fc.property(lists, (input) => {
        const plain = (fused: readonly { id: string; score: number }[]) => fused.map(({ id, score }) => [id, score]);
        expect(plain(fuse([...input].reverse()))).toEqual(plain(fuse(input)));
      }),
    );
  });
});
