import { defaultChunkerSpec, type ChunkerSpec } from '../../../services/domain/chunker-spec.js';
import type { Block, Chunk } from '../../../services/domain/text.js';
import { chunk, type ChunkerCarry } from '../../../services/chunker/chunk.js';
import { decode, type DecoderCarry, type Format } from '../../../services/decoder/decode.js';

export const spec = (change: Partial<ChunkerSpec>): ChunkerSpec => ({ ...defaultChunkerSpec, ...change });

/** In words, without overlap, as the conformance cases have it. */
export const inWords = (size: number, change: Partial<ChunkerSpec> = {}): ChunkerSpec =>
  spec({ tokenizer: 'words', size, overlap: 0, ...change });

/** Decodes a text given in segments. */
export function blocksOf(segments: readonly string[], format: Format = 'markdown'): Block[] {
  const blocks: Block[] = [];
  let carry: DecoderCarry | undefined;
  segments.forEach((segment, index) => {
    const decoded = decode(format, segment, carry, index === segments.length - 1);
    blocks.push(...decoded.blocks);
    carry = structuredClone(decoded.carry);
  });
  return blocks;
}

/** Chunks blocks given in segments. */
export function chunksOf(chunkerSpec: ChunkerSpec, segments: readonly (readonly Block[])[]): Chunk[] {
  const chunks: Chunk[] = [];
  let carry: ChunkerCarry | undefined;
  segments.forEach((blocks, index) => {
    const chunked = chunk(chunkerSpec, blocks, carry, index === segments.length - 1);
    chunks.push(...chunked.chunks);
    carry = structuredClone(chunked.carry);
  });
  return chunks;
}

/** Decodes and chunks a whole text. */
export const cut = (chunkerSpec: ChunkerSpec, text: string, format: Format = 'markdown'): Chunk[] =>
  chunksOf(chunkerSpec, [blocksOf([text], format)]);
