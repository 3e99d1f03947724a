import type { Attributes } from './attributes.js';
import type { Block, BlockKind } from './text.js';

/** A block without its text, as it is stored: one line of NDJSON. */
export interface BlockLine {
  readonly kind: BlockKind;
  /** The length of the block's text in UTF-8; blocks follow one another, so its place follows from the lines before. */
  readonly bytes: number;
  readonly code_points: number;
  readonly level?: number;
  readonly title?: string;
  readonly page?: number;
  readonly continued?: boolean;
}

/** What the decoder found out about a whole document: the last line after its blocks. */
export interface DecodedSummary {
  readonly text_sha256: string;
  readonly text_bytes: number;
  readonly code_points: number;
  readonly blocks: number;
  /** The media type of what the decoder found it to be. */
  readonly content_type: string;
  /** The character encoding, as WHATWG names it, and how it was known. */
  readonly encoding: string;
  readonly encoding_source: 'bom' | 'utf-8' | 'declared' | 'detected';
  readonly attributes: Attributes;
}

export const blockLine = (block: Block, bytes: number, codePoints: number): string => {
  const { kind, level, title, page, continued } = block;
  // JSON leaves out what is undefined.
  return `${JSON.stringify({ kind, bytes, code_points: codePoints, level, title, page, continued })}\n`;
};

export const summaryLine = (summary: DecodedSummary): string => `${JSON.stringify(summary)}\n`;

/** Reads one line back. Throws SyntaxError for what is no JSON. */
export function parseDecodedLine(line: string): BlockLine | DecodedSummary {
  return JSON.parse(line) as BlockLine | DecodedSummary;
}

export const isSummary = (line: BlockLine | DecodedSummary): line is DecodedSummary => 'text_sha256' in line;
