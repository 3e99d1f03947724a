import { addContributions, distinct, type Fused, type Scored } from './fused.js';
import { listWeights } from './weights.js';

/**
 * Relative score fusion: an id scores the sum over the lists of weight × its min-max normalised score there, so that
 * lists of different scales can be added. The best of a list has 1, its last 0, as an id that it does not hold.
 *
 * A list whose scores are all equal (one entry, say) has no scale to stretch: all of its entries are its best, so each
 * has 1. With 0 instead, an identifier that the lexical list alone finds, once, would count as not found.
 *
 * Repetitions count once, at their first place; blank ids and scores that are not finite never take part; equal scores
 * go by id in byte order.
 */
export function relative(lists: readonly (readonly Scored[])[], givenWeights?: readonly number[]): readonly Fused[] {
  const weights = listWeights(lists.length, givenWeights);
  return addContributions(
    lists.map((list, position) => {
      const weight = weights[position] ?? 1;
      const entries = distinct(list, ({ id }) => id).filter(({ score }) => Number.isFinite(score));
      const scale = minMax(entries.map(({ score }) => score));
      return new Map(entries.map(({ id, score }) => [id, weight * scale(score)]));
    }),
  );
}

function minMax(scores: readonly number[]): (score: number) => number {
  const least = scores.reduce((a, b) => Math.min(a, b), Infinity);
  const most = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const range = most - least;
  return (score) => (range > 0 ? (score - least) / range : 1);
}
