import { isSpaceAt } from '../boundaries/spaces.js';
import type { Measure } from './measure.js';

/** A run of more characters than this counts as several words, so that text without spaces has a size too. */
const longestWord = 100;

const wordsIn = (length: number): number => Math.ceil(length / longestWord);

/** Runs of characters that are not space; one of over 100 characters counts once for each 100 begun. */
export function measureWords(text: string): Measure {
  // At the start of each word: 1 + the words before it.
  const before = new Int32Array(text.length + 1);
  let words = 0;
  let index = 0;
  while (index < text.length) {
    while (index < text.length && isSpaceAt(text, index)) index++;
    const start = index;
    while (index < text.length && !isSpaceAt(text, index)) index++;
    if (index === start) break;
    before[start] = words + 1;
    words += wordsIn(index - start);
  }
  return {
    count(start, end) {
      let first = start;
      while (first < end && !isSpaceAt(text, first) && before[first] === 0) first++;
      let count = wordsIn(first - start);
      while (first < end && isSpaceAt(text, first)) first++;
      let stop = end;
      while (stop > first && isSpaceAt(text, stop - 1)) stop--;
      if (first >= stop) return count;
      let last = stop - 1;
      while (before[last] === 0) last--;
      count += (before[last] ?? 0) - (before[first] ?? 0) + wordsIn(stop - last);
      return count;
    },
  };
}
