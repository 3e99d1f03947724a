import { plainTitle } from './inline.js';

/** A longer line is no heading. */
const longestHeading = 512;

/** The column at which a line's text begins; tabs stop at every fourth. */
export const indentOf = (line: string): number => {
  let columns = 0;
  for (const character of line) {
    if (character === ' ') columns++;
    else if (character === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
};

/** `## Title ##`, at most 3 spaces in. A `#` that belongs to the last word stays ("C#"). */
export function atxHeading(line: string): { readonly level: number; readonly title: string } | undefined {
  if (line.length > longestHeading) return undefined;
  const match = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line.trimEnd());
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  const title = plainTitle(match[2].replace(/(?:^|[ \t]+)#+$/, ''));
  return title === '' ? undefined : { level: match[1].length, title };
}

/** 1 for a line of `=`, 2 for one of `-`: what makes the single line above it a heading. */
export function setextLevel(line: string): 1 | 2 | undefined {
  const match = /^ {0,3}(?:(=+)|(-{2,}))[ \t]*$/.exec(line.trimEnd());
  return match === null ? undefined : match[1] === undefined ? 2 : 1;
}

/** The title that a paragraph's only line gives to a setext heading. */
export function setextTitle(line: string): string | undefined {
  if (line.length > longestHeading || /^[ \t]*(?:[|>]|<!|[-*+][ \t]|\d{1,9}[.)][ \t])/.test(line)) return undefined;
  const title = plainTitle(line);
  return title === '' ? undefined : title;
}

export interface Fence {
  readonly character: '`' | '~';
  readonly length: number;
}

/** The opening line of a fence, at any indentation (lists indent theirs). */
export function openingFence(line: string): Fence | undefined {
  const match = /^[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line.trimEnd());
  if (match === null) return undefined;
  const run = match[1] ?? match[2] ?? '';
  return { character: run.startsWith('~') ? '~' : '`', length: run.length };
}

export function closesFence(line: string, fence: Fence): boolean {
  const run = line.trim();
  return run.length >= fence.length && run === fence.character.repeat(run.length);
}

/** `- `, `* `, `+ `, `1. `, `1) `: its indentation and that of its content. */
export function listMarker(line: string): { readonly indent: number; readonly content: number } | undefined {
  const match = /^([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]|$)/.exec(line.trimEnd());
  if (match?.[2] === undefined) return undefined;
  const indent = indentOf(line);
  return { indent, content: indent + match[2].length + 1 };
}

export const isRule = (line: string): boolean => /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/.test(line.trimEnd());

const cells = (row: string): number =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/).length;

/** Whether `line` is the row of dashes that makes a table of the row above it. */
export function isDelimiterRow(line: string, above: string): boolean {
  const row = line.trim();
  if (!row.includes('-') || !/^[|:\- \t]+$/.test(row) || !(row.includes('|') || above.includes('|'))) return false;
  const columns = row.replace(/^\||\|$/g, '').split('|');
  return columns.every((column) => /^[ \t]*:?-+:?[ \t]*$/.test(column)) && columns.length === cells(above);
}

/** What opens a stretch of HTML in which nothing is Markdown, and what ends it. */
export function opaqueHtml(line: string): { readonly end: string; readonly code: boolean } | undefined {
  const match = /^ {0,3}<(?:(!--)|(pre|script|style|textarea)(?=[\s>]|$))/i.exec(line);
  if (match === null) return undefined;
  return match[1] === undefined
    ? { end: `</${(match[2] ?? '').toLowerCase()}>`, code: true }
    : { end: '-->', code: false };
}
