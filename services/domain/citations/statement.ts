import { sentenceEnds } from '../claims/sentence-ends.js';
import type { Marker } from './markers.js';

/**
 * What a marker vouches for: the sentence that ends before it, or stands around it, on its line. Markers side by side
 * vouch for the same.
 */
export function statementBefore(answer: string, markers: readonly Marker[], index: number): string {
  let position = index;
  let end = markers[position]?.start ?? 0;
  for (;;) {
    const before = markers[position - 1];
    if (before === undefined || /\S/.test(answer.slice(before.end, end))) break;
    position--;
    end = before.start;
  }
  const from = Math.max(markers[position - 1]?.end ?? 0, answer.lastIndexOf('\n', end - 1) + 1);
  const prose = answer.slice(from, end).trim();
  return prose.slice(sentenceEnds(prose).at(-1) ?? 0).replace(/^[\s.,;:!?。]+/u, '');
}
