import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mean, measure, metricNames } from '../../../cli/eval/metrics.js';
import { lengthOf, sharedLength, union, type Span } from '../../../cli/eval/spans.js';

const span = (start: number, end: number, document = 'a'): Span => ({ document, start, end });

describe('spans', () => {
  it('joins what touches or overlaps, per document', () => {
    expect(union([span(5, 9), span(0, 5), span(8, 12), span(0, 2, 'b'), span(3, 3)])).toEqual([
      span(0, 12),
      span(0, 2, 'b'),
    ]);
  });

  it('counts each shared character once', () => {
    expect(sharedLength([span(0, 10), span(5, 15)], [span(8, 20), span(9, 11), span(0, 4, 'b')])).toBe(7);
  });

  it('agrees with counting characters one by one', () => {
    const spans = fc.array(
      fc.tuple(fc.constantFrom('a', 'b'), fc.nat(30), fc.nat(10)).map(([document, start, length]) => ({
        document,
        start,
        end: start + length,
      })),
      { maxLength: 8 },
    );
    const characters = (all: readonly Span[]): Set<string> =>
      new Set(
        all.flatMap(({ document, start, end }) =>
          Array.from({ length: end - start }, (_, i) => `${document}${start + i}`),
        ),
      );
    fc.assert(
      fc.property(spans, spans, (a, b) => {
        const left = characters(a);
        const right = characters(b);
        expect(lengthOf(a)).toBe(left.size);
        expect(sharedLength(a, b)).toBe([...left].filter((one) => right.has(one)).length);
      }),
    );
  });
});

describe('measure', () => {
  it('scores a first hit of half the reference', () => {
    const figures = measure([span(50, 150), span(500, 600)], [span(100, 200)]);
    expect(figures).toMatchObject({ hit_rate_at_5: 1, char_recall_at_5: 0.5, precision_at_5: 0.25, mrr_at_10: 1 });
  });

  it('takes the same offsets of another document for a miss', () => {
    expect(measure([span(0, 10, 'b')], [span(0, 10)])).toEqual(
      Object.fromEntries(metricNames.map((name) => [name, 0])),
    );
  });

  it('tells 5 from 10, and both from beyond', () => {
    const misses = (count: number): Span[] =>
      Array.from({ length: count }, (_, i) => span(1000 + i * 10, 1005 + i * 10));
    expect(measure([...misses(5), span(0, 10)], [span(0, 10)])).toMatchObject({
      hit_rate_at_5: 0,
      hit_rate_at_10: 1,
      char_recall_at_5: 0,
      char_recall_at_10: 1,
      mrr_at_10: 1 / 6,
    });
    expect(measure([...misses(10), span(0, 10)], [span(0, 10)])).toMatchObject({ hit_rate_at_10: 0, mrr_at_10: 0 });
  });

  it('does not take a chunk that ends where the reference starts for a hit', () => {
    expect(measure([span(0, 10)], [span(10, 20)]).hit_rate_at_5).toBe(0);
  });

  it('counts a reference covered twice once', () => {
    expect(measure([span(0, 10), span(0, 10)], [span(0, 10)])).toMatchObject({
      char_recall_at_5: 1,
      precision_at_5: 1,
    });
  });

  it('averages over questions', () => {
    const hit = measure([span(0, 10)], [span(0, 10)]);
    const miss = measure([], [span(0, 10)]);
    expect(mean([hit, miss]).hit_rate_at_5).toBe(0.5);
    expect(mean([]).mrr_at_10).toBe(0);
  });
});
