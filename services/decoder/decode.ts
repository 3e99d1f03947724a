import type { Attributes } from '../domain/attributes.js';
import type { Block } from '../domain/text.js';
import { decodeHtml } from './html/html.js';
import { decodeMarkdown, startMarkdown, type MarkdownCarry } from './markdown/markdown.js';
import { decodePlainText, startPlainText, type PlainTextCarry } from './text/plain-text.js';

/** What Sluice decodes today. */
export type Format = 'markdown' | 'text' | 'html';

/** What a decoder keeps between two segments: plain data, so that any worker may go on. */
export type DecoderCarry = MarkdownCarry | PlainTextCarry;

export interface Decoded {
  readonly blocks: readonly Block[];
  readonly carry: DecoderCarry | undefined;
  /** What the document says of itself, with the segment that says it. */
  readonly attributes?: Attributes;
}

/** Formats that can be decoded in segments; the others are given whole, in one final call. */
export const isStreamed = (format: Format): boolean => format !== 'html';

/**
 * The blocks of the next segment of a document's characters. The first call has no carry, the last is `final`; how a
 * document is divided into segments changes nothing. Joined, the texts of all blocks are the decoded text.
 */
export function decode(format: Format, segment: string, carry: DecoderCarry | undefined, final: boolean): Decoded {
  switch (format) {
    case 'markdown':
      return decodeMarkdown(segment, carry?.format === 'markdown' ? carry : startMarkdown, final);
    case 'text':
      return decodePlainText(segment, carry?.format === 'text' ? carry : startPlainText, final);
    case 'html':
      return { ...decodeHtml(segment), carry: undefined };
  }
}
