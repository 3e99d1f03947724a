import type { Attributes } from '../../domain/attributes.js';
import type { Block } from '../../domain/text.js';
import { BlockBuilder, type OpenBlock } from '../text/block-builder.js';
import { splitLines, startLines, type Line, type LinesCarry } from '../text/lines.js';
import { parseFrontMatter } from './front-matter.js';
import {
  atxHeading,
  closesFence,
  indentOf,
  isDelimiterRow,
  isRule,
  listMarker,
  opaqueHtml,
  openingFence,
  setextLevel,
  setextTitle,
  type Fence,
} from './line-kinds.js';

/** What the Markdown decoder keeps between segments: plain data. */
export interface MarkdownCarry {
  readonly format: 'markdown';
  readonly lines: LinesCarry;
  /** The lines that may yet be front matter; undefined once that is decided. */
  readonly front: readonly Line[] | undefined;
  readonly open: OpenBlock | undefined;
  readonly fence: Fence | undefined;
  /** What ends the HTML that is being read. */
  readonly htmlEnd: string | undefined;
  /** The indentation of the content of the list item that is being read. */
  readonly item: number | undefined;
}

export const startMarkdown: MarkdownCarry = {
  format: 'markdown',
  lines: startLines,
  front: [],
  open: undefined,
  fence: undefined,
  htmlEnd: undefined,
  item: undefined,
};

/** Front matter that is not closed within this many lines and characters is none. */
const longestFrontMatter = { lines: 1_000, units: 65_536 };

/**
 * Markdown (CommonMark's blocks, GitHub's tables) into blocks whose joined texts are the source after its front matter.
 * Fences, HTML comments and `<pre>` are opaque: no heading begins in them.
 */
export function decodeMarkdown(
  segment: string,
  carry: MarkdownCarry,
  final: boolean,
): { readonly blocks: readonly Block[]; readonly carry: MarkdownCarry; readonly attributes?: Attributes } {
  const { lines, carry: rest } = splitLines(segment, carry.lines, final);
  const reader = new MarkdownReader(carry);
  let { front } = carry;
  let attributes: Attributes | undefined;
  for (const line of lines) {
    if (front === undefined) reader.read(line);
    else {
      front = [...front, line];
      const end = frontMatterEnd(front);
      if (end === 'open') continue;
      if (end === 'closed') attributes = parseFrontMatter(front.slice(1, -1).map(({ text }) => text.trimEnd()));
      if (attributes === undefined) front.forEach((waiting) => reader.read(waiting));
      front = undefined;
    }
  }
  if (final) {
    front?.forEach((waiting) => reader.read(waiting));
    reader.builder.end();
  }
  return {
    blocks: reader.builder.blocks,
    carry: {
      format: 'markdown',
      lines: rest,
      front,
      open: reader.builder.open,
      fence: reader.fence,
      htmlEnd: reader.htmlEnd,
      item: reader.item,
    },
    ...(attributes === undefined ? {} : { attributes }),
  };
}

function frontMatterEnd(lines: readonly Line[]): 'open' | 'closed' | 'none' {
  const last = lines.at(-1)?.text ?? '';
  if (lines.length === 1) return last === '---\n' ? 'open' : 'none';
  if (last.trimEnd() === '---') return 'closed';
  const units = lines.reduce((sum, { text }) => sum + text.length, 0);
  return lines.length > longestFrontMatter.lines || units > longestFrontMatter.units ? 'none' : 'open';
}

const fenceInItem = (line: string): Fence | undefined =>
  openingFence(line.replace(/^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/, ''));

class MarkdownReader {
  readonly builder: BlockBuilder;
  fence: Fence | undefined;
  htmlEnd: string | undefined;
  item: number | undefined;

  constructor(carry: MarkdownCarry) {
    this.builder = new BlockBuilder(carry.open);
    this.fence = carry.fence;
    this.htmlEnd = carry.htmlEnd;
    this.item = carry.item;
  }

  read(line: Line): void {
    const { builder } = this;
    if (this.fence !== undefined) {
      builder.add(line);
      if (!line.continued && closesFence(line.text, this.fence)) this.fence = undefined;
    } else if (this.htmlEnd !== undefined) {
      builder.add(line);
      this.endHtml(line.text, 0);
    } else if (line.continued) builder.add(line);
    else if (line.text.trim() === '') builder.addBlank(line);
    else if (this.item === undefined || !this.readInItem(line, this.item)) this.readAtTop(line);
  }

  /** Reads a line that belongs to the open list item; false if it does not. */
  private readInItem(line: Line, content: number): boolean {
    const indent = indentOf(line.text);
    const marker = listMarker(line.text);
    const inside = indent >= Math.min(content, 2) || (marker !== undefined && marker.indent >= content);
    if (marker !== undefined && marker.indent < content) return false;
    if (inside) {
      this.fence = fenceInItem(line.text);
      this.builder.add(line);
      return true;
    }
    const lazy = this.builder.open?.blank === false && openingFence(line.text) === undefined;
    if (!lazy || atxHeading(line.text) !== undefined || isRule(line.text)) return false;
    this.builder.add(line);
    return true;
  }

  private readAtTop(line: Line): void {
    const { builder } = this;
    const { text } = line;
    this.item = undefined;
    const { open } = builder;
    const inParagraph = open?.kind === 'paragraph' && !open.blank;
    const heading = atxHeading(text);
    if (heading !== undefined) return builder.begin('heading', text, heading);
    if (inParagraph && this.endsAsHeading(open, line)) return;
    if (inParagraph && this.becomesTable(open, line)) return;
    if (open?.kind === 'table' && !open.blank && text.includes('|')) return builder.add(line);
    if (indentOf(text) < 4) {
      const fence = openingFence(text);
      if (fence !== undefined) {
        builder.begin('code', text);
        this.fence = fence;
        return;
      }
      const html = opaqueHtml(text);
      if (html !== undefined) return this.beginHtml(html, text);
      if (isRule(text)) {
        builder.begin('paragraph', text);
        return;
      }
      const marker = listMarker(text);
      if (marker !== undefined) {
        builder.begin('list', text);
        this.item = marker.content;
        this.fence = fenceInItem(text);
        return;
      }
    } else if (!inParagraph) {
      if (open?.kind === 'code' && indentOf(open.lines[0] ?? '') >= 4) return builder.add(line);
      return builder.begin('code', text);
    }
    if (inParagraph && !isRule(open.lines[0] ?? '')) builder.add(line);
    else builder.begin('paragraph', text);
  }

  private endsAsHeading(open: OpenBlock, line: Line): boolean {
    const level = setextLevel(line.text);
    const [only, another] = open.lines;
    if (level === undefined || only === undefined || another !== undefined || open.continued === true) return false;
    const title = setextTitle(only);
    if (title === undefined || isRule(only)) return false;
    Object.assign(open, { kind: 'heading', level, title });
    this.builder.add(line);
    return true;
  }

  private becomesTable(open: OpenBlock, line: Line): boolean {
    const header = open.lines.at(-1) ?? '';
    if (!isDelimiterRow(line.text, header)) return false;
    if (open.lines.length === 1 && open.continued !== true) open.kind = 'table';
    else {
      open.lines.pop();
      this.builder.begin('table', header);
    }
    this.builder.add(line);
    return true;
  }

  private beginHtml(html: { readonly end: string; readonly code: boolean }, text: string): void {
    this.builder.begin(html.code ? 'code' : 'paragraph', text);
    this.htmlEnd = html.end;
    this.endHtml(text, text.indexOf('<') + 1);
  }

  private endHtml(text: string, from: number): void {
    if (this.htmlEnd !== undefined && text.toLowerCase().indexOf(this.htmlEnd, from) >= 0) this.htmlEnd = undefined;
  }
}
