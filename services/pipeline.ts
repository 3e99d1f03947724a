import { chunker } from './chunker/chunker.js';
import { decoder } from './decoder/decoder.js';
import { documentRagAnswer } from './document-rag/answer.js';
import { documentRagAsk } from './document-rag/ask.js';
import { embedder } from './embedder/embedder.js';
import { librarian } from './librarian/librarian.js';
import { query } from './query/query.js';
import type { AnyProcessor } from './runtime/processor.js';
import { payloadWriter } from './vector-writer/payload-writer.js';
import { purger } from './vector-writer/purger.js';
import { vectorWriter } from './vector-writer/vector-writer.js';

/** The processors that run together in a worker of each name, in flow order. */
export const workers = {
  librarian: [librarian],
  decoder: [decoder],
  chunker: [chunker],
  embedder: [embedder],
  'vector-writer': [vectorWriter, payloadWriter, purger],
  query: [query],
  'document-rag': [documentRagAsk, documentRagAnswer],
} as const satisfies Readonly<Record<string, readonly AnyProcessor[]>>;

/** Every processor: documents in, then questions in. */
export const pipeline: readonly AnyProcessor[] = Object.values(workers).flat();
