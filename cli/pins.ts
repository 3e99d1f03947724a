import type { Command } from 'commander';
import type { CreateCollection } from '../gateway/client/client.js';
import { wholeNumber } from './arguments.js';

/** What a collection is pinned to, as options of `collections create` and `load`. */
export interface PinOptions {
  readonly embedding?: string;
  readonly chunkSize?: number;
  readonly chunkOverlap?: number;
}

export const withPins = (command: Command): Command =>
  withChunks(command.option('--embedding <model>', 'the embedding model; default: the server’s'));

export const withChunks = (command: Command): Command =>
  command
    .option('--chunk-size <tokens>', 'the most that a chunk holds; default 512', wholeNumber(1, 1_000_000))
    .option('--chunk-overlap <tokens>', 'what a cut inside a paragraph repeats; default 64', wholeNumber(0, 999_999));

/** The overlap is brought below a small size unless it is given: the default of 64 is made for 512. */
export function pinsOf(options: PinOptions): Pick<CreateCollection, 'embedding' | 'chunker'> {
  const { chunkSize: size, chunkOverlap: overlap } = options;
  const scaled = overlap ?? (size === undefined ? undefined : Math.floor(size / 8));
  return {
    ...(options.embedding === undefined ? {} : { embedding: options.embedding }),
    ...(size === undefined && scaled === undefined
      ? {}
      : { chunker: { ...(size === undefined ? {} : { size }), ...(scaled === undefined ? {} : { overlap: scaled }) } }),
  };
}
