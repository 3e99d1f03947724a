import type { Range } from './ranges.js';

/** V8's segmenter takes time with the length of the string at every step, so it is given this many units at a time. */
const windowUnits = 512;

/** A segment that the segmenter found, with what it says of it. */
export interface Segment extends Range {
  readonly text: string;
  readonly isWordLike: boolean;
}

/** The segments of a stretch. Each window begins where a segment ends, and its last one, which may go on, is read again. */
export function* segments(segmenter: Intl.Segmenter, text: string, range: Range): Generator<Segment> {
  let { start } = range;
  let units = windowUnits;
  while (start < range.end) {
    const end = Math.min(start + units, range.end);
    const found = [...segmenter.segment(text.slice(start, end))];
    if (end < range.end && found.length > 1) found.pop();
    else if (end < range.end && units < windowUnits * 8) {
      units *= 2;
      continue;
    }
    for (const { segment, isWordLike } of found) {
      yield { start, end: start + segment.length, text: segment, isWordLike: isWordLike === true };
      start += segment.length;
    }
    units = windowUnits;
  }
}
