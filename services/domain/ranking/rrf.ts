import { addContributions, distinct, type Fused } from './fused.js';
import { listWeights } from './weights.js';

export interface RrfOptions {
  /** How slowly the value of a rank falls; 60 in the paper and everywhere since. */
  readonly k?: number;
  /** One per list; default 1 each. */
  readonly weights?: readonly number[];
}

/**
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): an id scores the sum over the lists of
 * weight / (k + rank), ranks from 1. A repetition inside a list counts once and later ranks close up; blank ids never
 * take part; equal scores go by id in byte order.
 */
export function rrf(lists: readonly (readonly string[])[], options: RrfOptions = {}): readonly Fused[] {
  const { k = 60 } = options;
  const weights = listWeights(lists.length, options.weights);
  return addContributions(
    lists.map((list, position) => {
      const weight = weights[position] ?? 1;
      return new Map(distinct(list, (id) => id).map((id, index) => [id, weight / (k + index + 1)]));
    }),
  );
}
