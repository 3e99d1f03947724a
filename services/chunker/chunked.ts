import type { Chunk } from '../domain/text.js';

/** The chunks of one segment of a text, and what the next segment goes on from. */
export interface Chunked<C> {
  readonly chunks: readonly Chunk[];
  readonly carry: C;
}
