import { SluiceError } from '../errors.js';

const dayMs = 86_400_000;

export interface Dated<T> {
  readonly item: T;
  readonly score: number;
  /** Undefined: undated. */
  readonly date: Date | undefined;
}

export interface Aged<T> extends Dated<T> {
  /** 2^(−age / half-life); 1 for what is undated or lies in the future. */
  readonly factor: number;
  /** The score that orders: the shown one stays as it was. */
  readonly aged: number;
}

/**
 * Orders by score × 2^(−age / half-life); equal ones keep their order. A negative score (a cosine) is divided instead,
 * so that age lowers every score and never raises one. Throws invalid-argument for a half-life that is not above 0.
 */
export function recency<T>(
  items: readonly Dated<T>[],
  { now, halfLifeDays }: { readonly now: Date; readonly halfLifeDays: number },
): readonly Aged<T>[] {
  if (!(halfLifeDays > 0)) {
    throw new SluiceError('invalid-argument', `half_life_days ${halfLifeDays} is not above 0`);
  }
  return items
    .map((entry) => {
      const ageDays = entry.date === undefined ? 0 : Math.max(0, (now.getTime() - entry.date.getTime()) / dayMs);
      const factor = 2 ** (-ageDays / halfLifeDays);
      return { ...entry, factor, aged: entry.score < 0 ? entry.score / factor : entry.score * factor };
    })
    .sort((a, b) => (a.aged === b.aged ? 0 : b.aged - a.aged)); // not a − b alone: −∞ − −∞ is NaN
}
