import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bm25, bm25Weight } from '../../../../../services/domain/lexical/bm25.js';
import {
  averageLength,
  queriedTerms,
  termId,
  weightedTerms,
} from '../../../../../services/ports/vector-store/qdrant/terms.js';

describe('terms as sparse vectors', () => {
  it('gives a term the same id for ever', () => {
    expect(['a', '7.3.2', 'ภาษา'].map(termId)).toEqual([444641715, 1290483678, 1804520134]);
  });

  it('takes two terms with one id for one that occurs as often as both', () => {
    const [one, other] = ['1n12z1z3t5', '1ghvb8d6q2'];
    expect(termId(one)).toBe(termId(other));
    const { indices, values } = weightedTerms([one, other, one, 'else']);
    expect(indices).toEqual([termId(one), termId('else')]);
    expect(values[0]).toBeCloseTo(bm25Weight(3, 4, averageLength), 6);
    expect(queriedTerms([one, other]).indices).toEqual([termId(one)]);
  });

  it('has each id once and weights that make up BM25 with the idf', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', '日本', '7.3.2'), { maxLength: 200 }), (terms) => {
        const { indices, values } = weightedTerms(terms);
        expect(new Set(indices).size).toBe(indices.length);
        expect(values).toHaveLength(new Set(terms).size);
        for (const term of new Set(terms)) {
          const idf = Math.log(1 + 0.5 / 1.5);
          const weight = values[indices.indexOf(termId(term))] ?? NaN;
          expect(weight * idf).toBeCloseTo(bm25([term], [terms], averageLength)[0] ?? NaN, 5);
        }
      }),
    );
  });
});
