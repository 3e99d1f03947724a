import type { RetrievalCompleted, RetrievalHit, Reply } from '../../../schema/generated.js';
import { topics } from '../../../schema/topics.js';
import { SluiceError } from '../../../services/domain/errors.js';
import { hydrate, type HydratedText } from '../../../services/ports/blob-store/packs.js';
import type { SearchHit, SearchRequest, SearchResult } from '../../client/types.js';
import type { Call, GatewayContext } from '../context.js';
import { errorOf } from './error-of.js';
import { parseObject } from './parse-object.js';
import { retrievalOptions } from './retrieval-options.js';

/**
 * Ranked chunks with their texts. Throws invalid-argument for a blank query, collection-not-found, deadline-exceeded,
 * and what the query processor refuses.
 */
export async function search(context: GatewayContext, call: Call, request: SearchRequest): Promise<SearchResult> {
  if (request.query.trim() === '') {
    throw new SluiceError('invalid-argument', 'the query is empty: say what to look for');
  }
  const { workspace } = call.caller;
  const value = { workspace, query: request.query, options: await retrievalOptions(context, call, request) };
  const replies = context.inbox.request({
    topic: topics.retrievalsRequested,
    value,
    workspace,
    timeoutMs: request.timeout_ms ?? context.config.requestTimeoutMs,
    signal: call.signal,
    streamed: false,
  });
  const retrieval = await retrievalOf(replies);
  const hits = await hydrate(context.ports.blobStore, workspace, retrieval.hits);
  return {
    hits: hits.map(hitView),
    missing_lists: retrieval.missing_lists,
    ...(retrieval.explain === null ? {} : { explain: parseObject(retrieval.explain) }),
    milliseconds: retrieval.milliseconds,
  };
}

async function retrievalOf(replies: AsyncIterable<Reply>): Promise<RetrievalCompleted> {
  for await (const { error, retrieval } of replies) {
    const failure = error ?? retrieval?.error;
    if (failure) throw errorOf(failure);
    if (retrieval !== null) return retrieval;
  }
  throw new SluiceError('internal', 'the search ended without a result: try again');
}

const hitView = (hit: RetrievalHit & HydratedText): SearchHit => ({
  chunk_id: hit.chunk_id,
  document_id: hit.document_id,
  collection: hit.collection,
  source: hit.source,
  title: hit.title,
  seq: hit.seq,
  score: hit.score,
  ...(hit.rerank_score === null ? {} : { rerank_score: hit.rerank_score }),
  heading_path: [...hit.heading_path],
  start: hit.start,
  end: hit.end,
  page: hit.page,
  text: hit.text,
  metadata: parseObject(hit.metadata),
  ingested_at: new Date(hit.ingested_at).toISOString(),
  hydrated: hit.hydrated,
  ...(hit.orphaned ? { orphaned: true } : {}),
  ...(hit.explain === null ? {} : { explain: parseObject(hit.explain) }),
});
