import type { TextRange } from '../operations/documents/text.js';

/** One range of a Range header (RFC 9110). Several ranges, or another unit, are ignored as the RFC allows. */
export function byteRange(header: string | undefined): TextRange | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? undefined : { start: -Number(last) };
  if (last === '') return { start: Number(first) };
  return Number(last) < Number(first) ? undefined : { start: Number(first), end: Number(last) + 1 };
}
