import type { SluiceApi } from '../../gateway/client/client.js';

/** Everything that can be told from outside about what a sequence of commands has made. */
export interface EndState {
  /** By `<collection>/<document id>`: version, state, content, and every chunk with its place. */
  readonly documents: Readonly<Record<string, DocumentState>>;
  readonly vectors: number;
  readonly chunks: number;
  /** By query: every chunk of the collection, nearest first, with its score. */
  readonly nearest: Readonly<Record<string, readonly string[]>>;
  /** By mode and query: the chunks that match, if the API shows all of them at once. */
  readonly matching: Readonly<Record<string, readonly string[]>>;
}

interface DocumentState {
  readonly live: number | null;
  readonly newest: number | null;
  readonly state: string;
  readonly contentHash: string | null;
  readonly chunks: readonly string[];
}

const queries = [
  'How do I register a plugin?',
  'validation of the request body',
  'content type parser',
  'redistribution and warranty',
];
const limit = 1000;

/**
 * Reads the end state through the API, with the order that vectors give. BM25 weighs words by how many points have them,
 * and the stores count those that were taken away, or written over, until they tidy up: after the same commands in another
 * history the same points match a word, with other scores.
 */
export async function endState(client: SluiceApi): Promise<EndState> {
  const documents: Record<string, DocumentState> = {};
  for await (const document of client.listDocuments({ limit: 500 })) {
    const chunks: string[] = [];
    if (document.live !== null) {
      for await (const chunk of client.documentChunks(document.collection, document.document_id)) {
        chunks.push(`${chunk.chunk_id} ${chunk.start}-${chunk.end} ${chunk.text}`);
      }
    }
    documents[`${document.collection}/${document.document_id}`] = {
      live: document.live?.version ?? null,
      newest: document.newest?.version ?? null,
      state: document.state,
      contentHash: document.live?.content_hash ?? null,
      chunks,
    };
  }
  const nearest: Record<string, readonly string[]> = {};
  const matching: Record<string, readonly string[]> = {};
  for (const query of queries) {
    const semantic = await client.search({ query, mode: 'semantic', limit });
    nearest[query] = semantic.hits.map(({ chunk_id, score }) => `${chunk_id} ${score.toFixed(4)}`);
    for (const mode of ['lexical', 'hybrid'] as const) {
      const { hits } = await client.search({ query, mode, limit });
      if (hits.length < limit) matching[`${mode}: ${query}`] = hits.map(({ chunk_id }) => chunk_id).sort();
    }
  }
  const { vectors, chunks } = await client.status();
  return { documents, vectors, chunks, nearest, matching };
}
