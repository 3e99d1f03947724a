import { dropSpaces, extendsCharacterBefore, skipSpaces } from './spaces.js';

/** A stretch of a text, in UTF-16 positions, that neither begins nor ends with space. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The range between two positions without the space around it, or undefined if there is nothing else. */
export function trimmed(text: string, start: number, end: number): Range | undefined {
  const first = skipSpaces(text, start, end);
  const last = dropSpaces(text, first, end);
  return last > first ? { start: first, end: last } : undefined;
}

/** Cuts `range` at the positions (ascending) where pieces begin; each piece is trimmed, empty ones left out. */
export function cutAt(text: string, range: Range, starts: readonly number[]): Range[] {
  const pieces: Range[] = [];
  let from = range.start;
  for (const next of [...starts, range.end]) {
    if (next <= from) continue;
    if (next < range.end && text[next - 1] !== '\n' && extendsCharacterBefore(text, next)) continue;
    const piece = trimmed(text, from, next);
    if (piece !== undefined) pieces.push(piece);
    from = next;
  }
  return pieces;
}
