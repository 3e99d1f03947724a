/** A citation in an answer: `[2]` or `[1, 3]`. */
export interface Marker {
  /** Indices into the answer's string. */
  readonly start: number;
  readonly end: number;
  /** The passages it names, from 1. */
  readonly ordinals: readonly number[];
}

/** Fenced code, code within a line (in both, brackets mean something else), an escaped bracket, or a bracket. */
const token = new RegExp(
  [
    '^[ \\t]{0,3}(?<fence>`{3,}|~{3,})[^]*?(?:^[ \\t]{0,3}\\k<fence>|(?![^]))',
    '(?<!`)(?<ticks>`+)(?!`)[^\\n]*?(?<!`)\\k<ticks>(?!`)',
    '\\\\\\[',
    '\\[(?<inside>[^[\\]]*)\\]',
  ].join('|'),
  'gm',
);
const ordinalList = /^\s*\d{1,6}(?:\s*,\s*\d{1,6})*\s*$/;

/**
 * The citations of an answer, in order. A bracket of which any part is no ordinal from 1 to `passages` is no citation,
 * nor is an escaped one (`\[2]`) or one in code.
 */
export function findMarkers(answer: string, passages: number): readonly Marker[] {
  const markers: Marker[] = [];
  for (const match of answer.matchAll(token)) {
    const inside = match.groups?.['inside'];
    if (inside === undefined || !ordinalList.test(inside)) continue;
    const ordinals = inside.split(',').map(Number);
    if (ordinals.every((ordinal) => ordinal >= 1 && ordinal <= passages)) {
      markers.push({ start: match.index, end: match.index + match[0].length, ordinals: [...new Set(ordinals)] });
    }
  }
  return markers;
}

const lookalike = /\[(?=\s*\d{1,6}(?:\s*,\s*\d{1,6})*\s*\])/g;

/** A document's text with its own `[2]`s escaped, so that they make no citation where they are repeated. */
export const escapeMarkers = (text: string): string => text.replace(lookalike, '\\[');

/** The text that was escaped. */
export const unescapeMarkers = (text: string): string =>
  text.replace(/\\(?=\[\s*\d{1,6}(?:\s*,\s*\d{1,6})*\s*\])/g, '');
