import { SluiceError } from '../errors.js';

/** The hits in order, without those beyond the first `cap` of their source. Throws invalid-argument for a cap below 1. */
export function capPerSource<T>(hits: readonly T[], cap: number, sourceOf: (hit: T) => string): readonly T[] {
  if (!Number.isSafeInteger(cap) || cap < 1) {
    throw new SluiceError('invalid-argument', `cap_per_source ${cap} is not a whole number of at least 1`);
  }
  const kept = new Map<string, number>();
  return hits.filter((hit) => {
    const source = sourceOf(hit);
    const count = (kept.get(source) ?? 0) + 1;
    kept.set(source, count);
    return count <= cap;
  });
}
