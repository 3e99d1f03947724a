/** A generator of the same numbers in [0, 1) in every run with the same seed: mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number from `least` to below `end`. */
export const between = (random: () => number, least: number, end: number): number =>
  least + Math.floor(random() * (end - least));

/** One of them. */
export function oneOf<T>(random: () => number, choices: readonly T[]): T {
  const chosen = choices[between(random, 0, choices.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
}

/** The same in an order by chance. */
export const shuffled = <T>(random: () => number, values: readonly T[]): readonly T[] =>
  values
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
