import type { Range } from './ranges.js';
import { segments } from './segments.js';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const ascii = /^[\0-\x7f]*$/;

/** More code points than this in one grapheme is no writing system's; such a run is cut between code points. */
const longestGrapheme = 32;

/** What a reader takes for one character each. */
export function graphemes(text: string, range: Range): Range[] {
  const stretch = text.slice(range.start, range.end);
  const found: Range[] = [];
  if (ascii.test(stretch)) {
    for (let at = range.start; at < range.end; at++) found.push({ start: at, end: at + 1 });
    return found;
  }
  for (const { start, end, text: segment } of segments(segmenter, text, range)) {
    if (segment.length <= longestGrapheme) found.push({ start, end });
    else pushCodePoints(segment, start, found);
  }
  return found;
}

function pushCodePoints(segment: string, start: number, found: Range[]): void {
  const points = [...segment];
  let at = start;
  for (let index = 0; index < points.length; index += longestGrapheme) {
    const length = points.slice(index, index + longestGrapheme).join('').length;
    found.push({ start: at, end: at + length });
    at += length;
  }
}
