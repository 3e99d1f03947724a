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

/** Every processor, in flow order: documents in, then questions in. */
export const pipeline: readonly AnyProcessor[] = [
  librarian,
  decoder,
  chunker,
  embedder,
  vectorWriter,
  payloadWriter,
  purger,
  documentRagAsk,
  query,
  documentRagAnswer,
];
