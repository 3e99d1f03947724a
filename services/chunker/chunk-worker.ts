import type { ChunkerSpec } from '../domain/chunker-spec.js';
import type { BlockLine } from '../domain/decoded-text.js';
import type { Block, Chunk } from '../domain/text.js';
import { taskOf } from '../runtime/workers/worker-task.js';
import { chunk, type ChunkerCarry } from './chunk.js';

export interface SegmentInput {
  readonly spec: ChunkerSpec;
  readonly blocks: readonly BlockLine[];
  /** The blocks' texts, one after the other. */
  readonly text: Uint8Array;
  readonly carry: ChunkerCarry | undefined;
  readonly final: boolean;
}

export interface SegmentOutput {
  readonly chunks: readonly Chunk[];
  readonly carry: ChunkerCarry;
}

export const chunkSegment = taskOf(({ spec, blocks, text, carry, final }: SegmentInput): SegmentOutput => {
  return chunk(spec, withTexts(blocks, Buffer.from(text.buffer, text.byteOffset, text.length)), carry, final);
});

function withTexts(lines: readonly BlockLine[], text: Buffer): Block[] {
  let position = 0;
  return lines.map(({ bytes, kind, level, title, page, continued }) => {
    const start = position;
    position += bytes;
    return {
      kind,
      text: text.toString('utf8', start, position),
      ...(level === undefined ? {} : { level }),
      ...(title === undefined ? {} : { title }),
      ...(page === undefined ? {} : { page }),
      ...(continued === undefined ? {} : { continued }),
    };
  });
}
