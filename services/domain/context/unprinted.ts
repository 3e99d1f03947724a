import { sliceCodePoints } from '../code-point-slice.js';

interface Stretch {
  readonly versionHash: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Printed {
  readonly hit: { readonly versionHash: string; readonly start: number };
  readonly end: number;
}

/**
 * A passage's text without what its neighbours of the same text print: the overlap at its beginning, at its end, or all
 * of it. Offsets are code points into that text. A neighbour in its middle is left, for one passage stays one stretch.
 */
export function unprinted({ versionHash, text, start, end }: Stretch, printed: readonly Printed[]): string {
  const neighbours = printed
    .filter(({ hit }) => versionHash !== '' && hit.versionHash === versionHash)
    .sort((a, b) => a.hit.start - b.hit.start);
  let [from, to] = [start, end];
  for (const { hit, end: otherEnd } of neighbours) {
    if (hit.start <= from && otherEnd > from) from = Math.min(otherEnd, to);
  }
  for (const { hit, end: otherEnd } of neighbours.reverse()) {
    if (otherEnd >= to && hit.start < to) to = Math.max(hit.start, from);
  }
  return sliceCodePoints(text, from - start, to - start);
}
