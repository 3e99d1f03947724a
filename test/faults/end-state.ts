import type { SluiceApi } from '../../gateway/client/client.js';

/** Everything that can be told from outside about what a sequence of commands has made. */
export interface EndState {
  /** By `<collection>/<document id>`: version, state, content, and every chunk with its place. */
  readonly documents: Readonly<Record<string, DocumentState>>;
  readonly vectors: number;
  readonly chunks: number;
  /**
   * By query: chunk ids with their scores, best first. BM25 scores move with the store's statistics until it has taken in
   * what was written last.
   */
  readonly results: Readonly<Record<string, readonly string[]>>;
}

interface DocumentState {
  readonly live: number | null;
  readonly newest: number | null;
  readonly state: string;
  readonly contentHash: string | null;
  readonly chunks: readonly string[];
}

/** Reads the end state through the API. */
export async function endState(client: SluiceApi, queries: readonly string[]): Promise<EndState> {
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
  const results: Record<string, readonly string[]> = {};
  for (const query of queries) {
    for (const mode of ['semantic', 'lexical', 'hybrid'] as const) {
      const { hits } = await client.search({ query, mode, limit: 20 });
      results[`${mode}: ${query}`] = hits.map((hit) => `${hit.chunk_id} ${hit.score.toFixed(4)}`);
    }
  }
  const { vectors, chunks } = await client.status();
  return { documents, vectors, chunks, results };
}
