import { codePoints } from '../../domain/text.js';
import type { Measure } from './measure.js';

const surrogate = /[\ud800-\udfff]/;

/** Code points. */
export function measureCharacters(text: string): Measure {
  if (!surrogate.test(text)) return { count: (start, end) => end - start };
  // How many code points come before every 256th unit; the rest of a stretch is counted.
  const step = 256;
  const before = new Int32Array(Math.floor(text.length / step) + 1);
  let points = 0;
  for (let index = 0; index < text.length; index++) {
    if (index % step === 0) before[index / step] = points;
    if (!isLowOfPair(text, index)) points++;
  }
  const pointsBefore = (position: number): number => {
    const mark = Math.floor(position / step);
    let count = before[mark] ?? 0;
    for (let index = mark * step; index < position; index++) if (!isLowOfPair(text, index)) count++;
    return count;
  };
  return {
    count: (start, end) =>
      end - start <= step ? codePoints(text.slice(start, end)) : pointsBefore(end) - pointsBefore(start),
  };
}

function isLowOfPair(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff && index > 0 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
}
