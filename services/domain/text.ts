/** What a stretch of decoded text is. */
export type BlockKind = 'heading' | 'paragraph' | 'list' | 'table' | 'code' | 'page-break';

/**
 * A stretch of decoded text. Blocks follow one another without gaps: joined, their texts are the whole decoded text.
 * A block's text includes the blank lines after it.
 */
export interface Block {
  readonly kind: BlockKind;
  readonly text: string;
  /** headings: 1 to 6. */
  readonly level?: number;
  /** headings: their words without markup, as they stand in heading paths. */
  readonly title?: string;
  /** 1-based page on which the block starts, where the format has pages. */
  readonly page?: number;
  /** Goes on from the block before it: decoders bound the size of a block and hand on a longer one in pieces. */
  readonly continued?: boolean;
}

/** A chunk as it is stored in its pack. */
export interface Chunk {
  /** 0, 1, 2 … within the version. */
  readonly seq: number;
  /** Code points into the decoded text; `text` is the decoded text from start to end. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Titles of the headings above the chunk, outermost first. */
  readonly headingPath: readonly string[];
  /** What is repeated from elsewhere before `text` when it is embedded or read (a table's header), not part of the offsets. */
  readonly lead?: string;
  readonly page?: number;
}

/** The blob of one pack: up to 64 chunks. */
export interface Pack {
  readonly textSha256: string;
  readonly chunks: readonly Chunk[];
}

/** What is embedded and indexed of a chunk: heading path (if the spec says so), lead, text. */
export function embeddedText(chunk: Chunk, contextPrefix: boolean): string {
  const path = contextPrefix && chunk.headingPath.length > 0 ? `${chunk.headingPath.join(' > ')}\n\n` : '';
  return `${path}${chunk.lead ?? ''}${chunk.text}`;
}

/** The number of code points of a string: the unit of every offset. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      count--;
      index++;
    }
  }
  return count;
}
