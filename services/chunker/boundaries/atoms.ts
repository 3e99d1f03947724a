import type { Measure } from '../measure/measure.js';
import { graphemes } from './graphemes.js';
import type { Range } from './ranges.js';
import { segments } from './segments.js';
import { isSpaceAt, skipSpaces } from './spaces.js';

/** Scripts that put no space between words: Thai, Lao, Myanmar, Khmer, Chinese, Japanese. */
const unspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u{20000}-\u{3ffff}]/u;
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** The first character of the scripts above. */
const firstUnspaced = 0x0e00;
/** No tokenizer counts more than this for one UTF-16 unit: a token is at least a byte of UTF-8. */
const mostPerUnit = 3;

/**
 * What window cuts never split, in order: words, and where one is larger than `size`, its graphemes. Words of scripts
 * without spaces come from a dictionary (ICU); closing punctuation stays with the word before it.
 */
export function atoms(text: string, range: Range, measure: Measure, size: number): Range[] {
  const found: Range[] = [];
  let start = skipSpaces(text, range.start, range.end);
  while (start < range.end) {
    let end = start + 1;
    let spaced = text.charCodeAt(start) < firstUnspaced;
    while (end < range.end && !isSpaceAt(text, end)) spaced = text.charCodeAt(end++) < firstUnspaced && spaced;
    const run = { start, end };
    if (spaced) pushWhole(text, run, measure, size, found);
    else for (const word of dictionaryWords(text, run)) pushWhole(text, word, measure, size, found);
    start = skipSpaces(text, end, range.end);
  }
  return found;
}

function pushWhole(text: string, word: Range, measure: Measure, size: number, found: Range[]): void {
  const { start, end } = word;
  if ((end - start) * mostPerUnit <= size || measure.count(start, end) <= size) found.push(word);
  else for (const grapheme of graphemes(text, word)) found.push(grapheme);
}

function dictionaryWords(text: string, run: Range): Range[] {
  if (!unspaced.test(text.slice(run.start, run.end))) return [run];
  const words: { start: number; end: number }[] = [];
  for (const { start, end, text: word, isWordLike } of segments(segmenter, text, run)) {
    const last = words.at(-1);
    const trails = !isWordLike && /^\p{P}/u.test(word) && !/^[\p{Ps}\p{Pi}]/u.test(word);
    if (trails && last !== undefined) last.end = end;
    else words.push({ start, end });
  }
  return words;
}
