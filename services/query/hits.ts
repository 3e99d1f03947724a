import type { RetrievalHit } from '../../schema/generated.js';
import type { RankedMatch } from './rank.js';

/** A hit as it travels. The score is the one of its mode: cosine, BM25 or fused; ranking never changes it. */
export function hitOf({ candidate, score, note }: RankedMatch, explain: string | null): RetrievalHit {
  const { version } = candidate;
  return {
    chunk_id: candidate.chunkId,
    document_id: candidate.documentId,
    collection: candidate.collection,
    version_hash: candidate.versionHash ?? '',
    seq: candidate.seq,
    source: version?.source ?? candidate.source,
    title: version?.title ?? null,
    score,
    rerank_score: note?.kind === 'rerank' ? note.score : null,
    metadata: JSON.stringify(version?.attributes ?? {}),
    ingested_at: version?.createdAt.getTime() ?? 0,
    orphaned: version === undefined,
    explain,
  };
}
