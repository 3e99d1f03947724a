import { cutAt, type Range } from './ranges.js';

/**
 * Where a sentence may end: after `.!?…` (and closing quotes) before space, after the full stops of Chinese and
 * Japanese, at a blank line, before a line that begins a list item.
 */
const sentenceEnd =
  /[.!?…]+["'”’)\]]*(?=\s)|[。！？｡][」』”’）]*|\n(?=[ \t]*\n)|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])/gu;

/** The sentences of a stretch of prose, in order; together they hold all of it but the space between them. */
export function sentences(text: string, range: Range): Range[] {
  const prose = text.slice(range.start, range.end);
  const starts: number[] = [];
  for (const match of prose.matchAll(sentenceEnd)) starts.push(range.start + match.index + match[0].length);
  return cutAt(text, range, starts);
}

/** The lines of a stretch, blank ones left out. */
export function lines(text: string, range: Range): Range[] {
  const starts: number[] = [];
  for (let at = text.indexOf('\n', range.start); at >= 0 && at < range.end; at = text.indexOf('\n', at + 1)) {
    starts.push(at + 1);
  }
  return cutAt(text, range, starts);
}

/** The stretches between blank lines. */
export function paragraphs(text: string, range: Range): Range[] {
  const starts: number[] = [];
  for (const match of text.slice(range.start, range.end).matchAll(/\n[ \t]*\n/g)) {
    starts.push(range.start + match.index + match[0].length);
  }
  return cutAt(text, range, starts);
}
