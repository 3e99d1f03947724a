export interface Comparison {
  /** Mean of a − b over the questions. */
  readonly difference: number;
  /** The middle 95 % of the resampled differences. */
  readonly low: number;
  readonly high: number;
  /** Two-sided: how often a resampled difference lies on the other side of 0, doubled, at most 1. */
  readonly p_value: number;
  readonly significant: boolean;
}

/** mulberry32: small, seeded, good enough to draw question numbers. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Paired bootstrap (Efron and Tibshirani 1993, chapter 16; percentile interval): the questions are drawn again with
 * replacement, both systems' figures of a question staying together. The seed is fixed: the same figures give the
 * same interval.
 */
export function pairedBootstrap(a: readonly number[], b: readonly number[], resamples = 10_000): Comparison {
  if (a.length !== b.length) throw new RangeError(`paired samples differ in length: ${a.length} and ${b.length}`);
  const differences = a.map((value, index) => value - (b[index] ?? 0));
  const count = differences.length;
  if (count === 0) return { difference: 0, low: 0, high: 0, p_value: 1, significant: false };
  const draw = random(20_240_601);
  const means = new Float64Array(resamples);
  for (let round = 0; round < resamples; round++) {
    let sum = 0;
    for (let index = 0; index < count; index++) sum += differences[Math.floor(draw() * count)] ?? 0;
    means[round] = sum / count;
  }
  means.sort();
  const quantile = (share: number): number => means[Math.min(resamples - 1, Math.floor(share * resamples))] ?? 0;
  const low = quantile(0.025);
  const high = quantile(0.975);
  const below = means.filter((value) => value <= 0).length / resamples;
  const above = means.filter((value) => value >= 0).length / resamples;
  return {
    difference: differences.reduce((sum, value) => sum + value, 0) / count,
    low,
    high,
    p_value: Math.min(1, 2 * Math.min(below, above)),
    significant: low > 0 || high < 0,
  };
}
