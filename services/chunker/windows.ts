import { atoms } from './boundaries/atoms.js';
import type { Range } from './boundaries/ranges.js';
import type { Measure } from './measure/measure.js';

export interface WindowSize {
  readonly size: number;
  /** Below size. */
  readonly overlap: number;
}

/** The largest n from 0 to `limit` that fits, when all up to some n do and none after; 0 is taken to fit. */
function farthest(limit: number, fits: (n: number) => boolean): number {
  let n = 0;
  let step = 1;
  while (n + step <= limit && fits(n + step)) {
    n += step;
    step *= 2;
  }
  for (; step >= 1; step = Math.floor(step / 2)) if (n + step <= limit && fits(n + step)) n += step;
  return n;
}

/** The index after the last of `words` that a window from `first` can hold; always at least one. */
export function windowEnd(words: readonly Range[], first: number, measure: Measure, size: number): number {
  const start = words[first]?.start ?? 0;
  const fits = (n: number): boolean => measure.count(start, words[first + n]?.end ?? start) <= size;
  return first + 1 + farthest(words.length - 1 - first, fits);
}

/** Where the window after one of `first … end` starts: so far back that it repeats at most `overlap`, always forward. */
export function nextWindow(
  words: readonly Range[],
  first: number,
  end: number,
  measure: Measure,
  { size, overlap }: WindowSize,
): number {
  const stop = words[end - 1]?.end ?? 0;
  const repeats = (n: number): number => measure.count(words[end - n]?.start ?? 0, stop);
  let next = end - farthest(end - 1 - first, (n) => repeats(n) <= overlap);
  // What is repeated must leave room for a new word, or the windows would never end.
  const newWord = words[end]?.end ?? stop;
  while (next < end && measure.count(words[next]?.start ?? 0, newWord) > size) next++;
  return next;
}

/**
 * Cuts a stretch that no other boundary could make small enough into overlapping windows of whole words. When less than
 * a tenth of a window would be left for the last one, the last two share evenly.
 */
export function windows(text: string, range: Range, measure: Measure, limits: WindowSize): Range[] {
  const words = atoms(text, range, measure, limits.size);
  const found: Range[] = [];
  let first = 0;
  while (first < words.length) {
    const start = words[first]?.start ?? range.start;
    const left = measure.count(start, range.end);
    const crumb = left > limits.size && left < limits.size * 1.1;
    const size = crumb ? Math.max(Math.ceil(left / 2), limits.overlap + 1) : limits.size;
    const end = windowEnd(words, first, measure, size);
    found.push({ start, end: words[end - 1]?.end ?? range.end });
    if (end >= words.length) break;
    first = nextWindow(words, first, end, measure, limits);
  }
  return found;
}
