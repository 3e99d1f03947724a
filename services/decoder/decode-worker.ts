import type { Attributes } from '../domain/attributes.js';
import { blockLine } from '../domain/decoded-text.js';
import { codePoints } from '../domain/text.js';
import { taskOf } from '../runtime/workers/worker-task.js';
import { decode, type DecoderCarry, type Format } from './decode.js';
import { detectEncoding, type Encoding } from './sniff/encoding.js';

export interface SegmentInput {
  readonly format: Format;
  readonly segment: string;
  readonly carry: DecoderCarry | undefined;
  readonly final: boolean;
}

/** A decoded segment as it is stored, so that the event loop has only bytes to move. */
export interface SegmentOutput {
  readonly text: Uint8Array;
  /** NDJSON, one line per block. */
  readonly lines: Uint8Array;
  readonly blocks: number;
  readonly codePoints: number;
  readonly carry: DecoderCarry | undefined;
  readonly attributes?: Attributes;
}

export const decodeSegment = taskOf(({ format, segment, carry, final }: SegmentInput): SegmentOutput => {
  const decoded = decode(format, segment, carry, final);
  let points = 0;
  let lines = '';
  for (const block of decoded.blocks) {
    const count = codePoints(block.text);
    points += count;
    lines += blockLine(block, Buffer.byteLength(block.text), count);
  }
  return {
    text: new TextEncoder().encode(decoded.blocks.map(({ text }) => text).join('')),
    lines: new TextEncoder().encode(lines),
    blocks: decoded.blocks.length,
    codePoints: points,
    carry: decoded.carry,
    ...(decoded.attributes === undefined ? {} : { attributes: decoded.attributes }),
  };
});

export const detect = taskOf((sample: Uint8Array): Encoding => detectEncoding(Buffer.from(sample)));
