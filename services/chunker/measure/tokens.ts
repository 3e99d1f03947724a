import type { Measure } from './measure.js';
import { pretokenEnd } from './pretokens.js';
import { tokensOf } from './token-counts.js';

/**
 * Byte-pair encoding takes time with a pre-token's length, also for each stretch that ends inside it; so one of more
 * UTF-16 units than this is counted in pieces (cut at multiples of their length in the document), which may add a token
 * for every few pieces. Only text without spaces or punctuation comes to it.
 */
const longestPretoken = 128;
const pieceUnits = 32;

/**
 * o200k_base tokens, special ones read as text. Pre-tokens are encoded one by one, so counts add up at their bounds:
 * each is counted once, and a stretch is a difference of two sums, exact because a pre-token depends only on what
 * follows its start.
 */
export function measureTokens(text: string, offset: number): Measure {
  // At each bound between pre-tokens (or pieces): 1 + the tokens before it; 0 elsewhere.
  const before = new Int32Array(text.length + 1);
  let tokens = 0;
  let position = 0;
  before[0] = 1;
  while (position < text.length) {
    const end = pretokenEnd(text, position);
    while (position < end) {
      const stop = pieceEnd(position, end);
      tokens += tokensOf(text.slice(position, stop));
      before[stop] = tokens + 1;
      position = stop;
    }
  }

  function pieceEnd(start: number, end: number): number {
    if (end - start <= longestPretoken) return end;
    let stop = start + pieceUnits - ((offset + start) % pieceUnits);
    if ((text.charCodeAt(stop) & 0xfc00) === 0xdc00) stop++;
    return stop;
  }

  /** As pretokenEnd, but of a long pre-token no more is read than tells that it is one. */
  const nearEnd = (start: number): number => start + pretokenEnd(text.slice(start, start + 2 * longestPretoken), 0);

  function countAlone(stretch: string, from: number): number {
    let count = 0;
    let at = 0;
    while (at < stretch.length) {
      const end = pretokenEnd(stretch, at);
      while (at < end) {
        const stop = pieceEnd(from + at, from + end) - from;
        count += tokensOf(stretch.slice(at, stop));
        at = stop;
      }
    }
    return count;
  }

  return {
    count(start, end) {
      // From a start inside a pre-token the split soon falls in with that of the whole text.
      let first = start;
      let count = 0;
      while (first < end && before[first] === 0) {
        const stop = pieceEnd(first, nearEnd(first));
        if (stop > end) break;
        count += tokensOf(text.slice(first, stop));
        first = stop;
      }
      if (before[first] === 0) return count + countAlone(text.slice(first, end), first);
      let last = end;
      while (before[last] === 0) last--;
      count += (before[last] ?? 0) - (before[first] ?? 0);
      return last < end ? count + countAlone(text.slice(last, end), last) : count;
    },
  };
}
