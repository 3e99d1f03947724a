import type { Range } from '../boundaries/ranges.js';

/** What can be placed into a chunk as a whole. Positions are UTF-16 units of the text in hand. */
export interface Part extends Range {
  /** Titles of the headings above, outermost first. */
  readonly path: readonly string[];
  /** What must stand before it when it begins a chunk: a table's header, a fence's opening line; else empty. */
  readonly lead: string;
  readonly page: number | undefined;
  readonly heading: 'only' | 'last' | 'none';
  /** Where it could be cut again later, its start first; empty where a cut would need a lead. */
  readonly cuts: readonly number[];
}

/** A chunk in the making: plain data. */
export type Piece = Part;

/** A chunk that so far holds one part. */
export const pieceOf = ({ start, end, path, lead, page, heading, cuts }: Part): Piece => ({
  start,
  end,
  path,
  lead,
  page,
  heading,
  cuts,
});

function commonPrefix(a: readonly string[], b: readonly string[]): readonly string[] {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length === a.length ? a : a.slice(0, length);
}

/** `piece` followed by `part`: a heading is never cut from what follows it. */
export const joined = (piece: Piece, part: Part): Piece => ({
  start: piece.start,
  end: part.end,
  path: commonPrefix(piece.path, part.path),
  lead: piece.lead,
  page: piece.page,
  heading:
    part.heading === 'only' ? (piece.heading === 'only' ? 'only' : 'last') : part.heading === 'last' ? 'last' : 'none',
  cuts: [...piece.cuts, ...(piece.heading === 'none' ? part.cuts : part.cuts.slice(1))],
});

/** The same piece in a text that begins `by` units later. */
export const shifted = <T extends Part>(part: T, by: number): T => ({
  ...part,
  start: part.start - by,
  end: part.end - by,
  cuts: part.cuts.map((cut) => cut - by),
});
