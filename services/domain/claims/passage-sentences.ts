import { sentenceEnds } from './sentence-ends.js';

/** A stretch of a text, as indices into its string. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const fence = /^\s{0,3}(`{3,}|~{3,})/;
const heading = /^\s{0,3}#{1,6}(?:\s|$)/;
/** Rules, the underlines of headings, and the line under a table's header. */
const ruling = /^[\s|:+=*_-]*$/;
const listMarker = /^\s*(?:[-*+•]|\d{1,9}[.)])\s+/;
const quoteMarker = /^\s*(?:>\s?)+/;
const tableRow = /^\s*\|/;
const hasLetter = /\p{L}/u;

/**
 * The sentences of a passage of plain text or Markdown, in order, without the white space around them. Lines of one
 * paragraph belong together; list items and table rows stand alone; headings, rules and code are no sentences, nor is
 * what has no letter.
 */
export function passageSentences(text: string): readonly Span[] {
  return paragraphs(text).flatMap((paragraph) => {
    const prose = text.slice(paragraph.start, paragraph.end);
    const ends = paragraph.whole ? [prose.length] : [...sentenceEnds(prose), prose.length];
    return ends.flatMap((end, index) => {
      const start = ends[index - 1] ?? 0;
      const raw = prose.slice(start, end);
      if (!hasLetter.test(raw)) return [];
      const from = paragraph.start + start + (raw.length - raw.trimStart().length);
      return [{ start: from, end: from + raw.trim().length }];
    });
  });
}

/** `whole`: one sentence, whatever stands in it. */
interface Paragraph extends Span {
  readonly whole: boolean;
}

function paragraphs(text: string): readonly Paragraph[] {
  const found: Paragraph[] = [];
  let open: { start: number; end: number } | undefined;
  let closingFence: string | undefined;
  const close = (): void => {
    if (open !== undefined) found.push({ ...open, whole: false });
    open = undefined;
  };
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, line.end);
    const mark = fence.exec(content)?.[1];
    if (closingFence !== undefined) {
      if (mark?.startsWith(closingFence) === true) closingFence = undefined;
    } else if (mark !== undefined) {
      close();
      closingFence = mark;
    } else if (heading.test(content) || ruling.test(content)) {
      close();
    } else if (tableRow.test(content)) {
      close();
      found.push({ ...line, whole: true });
    } else {
      const prefix = quoteMarker.exec(content)?.[0].length ?? 0;
      const marker = listMarker.exec(content.slice(prefix))?.[0].length;
      if (marker !== undefined) close();
      open = { start: open?.start ?? line.start + prefix + (marker ?? 0), end: line.end };
    }
  }
  close();
  return found;
}

/** Lines without their ends; form feeds part pages and end a line too. */
function linesOf(text: string): readonly Span[] {
  const lines: Span[] = [];
  let start = 0;
  for (const { index, 0: mark } of text.matchAll(/\r\n|[\n\r\f\v\u2028\u2029]/g)) {
    lines.push({ start, end: index });
    start = index + mark.length;
  }
  lines.push({ start, end: text.length });
  return lines;
}
