import { withoutControls } from './normalise.js';

/** A line, with its \n unless it is the text's last or a piece of one that is too long. */
export interface Line {
  readonly text: string;
  /** Goes on from the line before: decoders bound what they hold in memory. */
  readonly continued: boolean;
}

/** What is left of the last segment: the beginning of a line. */
export interface LinesCarry {
  readonly rest: string;
  readonly continued: boolean;
}

export const startLines: LinesCarry = { rest: '', continued: false };

/** A longer line is cut in pieces of at most this many UTF-16 units. */
const longestLine = 32_768;
/** How far beyond the cut is looked for a good one; a line that ends within it is not cut. */
const lookAhead = 256;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The lines of a segment, without control characters; how a text is divided into segments changes nothing. */
export function splitLines(
  segment: string,
  carry: LinesCarry,
  final: boolean,
): { readonly lines: readonly Line[]; readonly carry: LinesCarry } {
  let raw = carry.rest + segment;
  // A carriage return at the end may be half of a newline.
  const half = !final && raw.endsWith('\r') ? '\r' : '';
  raw = withoutControls(half === '' ? raw : raw.slice(0, -1));

  const lines: Line[] = [];
  let { continued } = carry;
  let start = 0;
  while (start < raw.length) {
    const newline = raw.indexOf('\n', start);
    const end = newline < 0 ? raw.length : newline + 1;
    const tooLong = end - start > longestLine + lookAhead;
    if (newline < 0 && !tooLong && !final) break;
    const stop = tooLong ? cut(raw, start) : end;
    lines.push({ text: raw.slice(start, stop), continued });
    continued = tooLong;
    start = stop;
  }
  return { lines, carry: { rest: raw.slice(start) + half, continued } };
}

/** Where to cut a line that is too long: after space, else between graphemes. */
function cut(raw: string, start: number): number {
  const latest = start + longestLine;
  const near = raw.slice(latest - lookAhead, latest);
  const space = near.search(/\s\S*$/);
  if (space >= 0) return latest - lookAhead + space + 1;
  const window = raw.slice(latest - lookAhead, latest + lookAhead);
  const at = graphemes.segment(window).containing(lookAhead)?.index ?? 0;
  return at > 0 ? latest - lookAhead + at : latest;
}
