import { compareBytes } from '../identity.js';

/** An entry of one ranked list. */
export interface Scored {
  readonly id: string;
  readonly score: number;
}

/** An entry of several lists made one. */
export interface Fused extends Scored {
  /** What each list added to the score, in the order of the lists; 0 from a list without this id. */
  readonly contributions: readonly number[];
}

/** Best first, equal scores by id in byte order: one order, whatever the order of the input. */
export const byScoreThenId = (a: Scored, b: Scored): number => b.score - a.score || compareBytes(a.id, b.id);

/** A list with blank ids and repetitions gone, so that the ranks after them close up. */
export function distinct<T>(list: readonly T[], idOf: (entry: T) => string): readonly T[] {
  const seen = new Set<string>();
  return list.filter((entry) => {
    const id = idOf(entry);
    if (id.trim() === '' || seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** Adds up what each list contributes to each id and sorts. */
export function addContributions(lists: readonly ReadonlyMap<string, number>[]): readonly Fused[] {
  const ids = new Set(lists.flatMap((list) => [...list.keys()]));
  return [...ids]
    .map((id) => {
      const contributions = lists.map((list) => list.get(id) ?? 0);
      // Smallest first: floating-point sums depend on their order, and the order of the lists must not matter.
      const score = [...contributions].sort((a, b) => a - b).reduce((sum, part) => sum + part, 0);
      return { id, score, contributions };
    })
    .sort(byScoreThenId);
}
