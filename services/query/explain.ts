import { terms } from '../domain/lexical/terms.js';
import type { LexicalAnalysis } from '../domain/lexical-analysis.js';
import type { Match } from './fuse.js';
import type { RetrievalPlan } from './plan.js';
import type { RankedMatch } from './rank.js';
import { textsOf } from './rank-inputs.js';
import type { SearchOutcome } from './search.js';
import type { SearchPorts } from './search-ports.js';

/** Why each hit stands where it stands: one JSON object per hit, in order. */
export async function explainHits(
  { hits }: Pick<SearchOutcome, 'hits'>,
  plan: RetrievalPlan,
  { blobStore }: Pick<SearchPorts, 'blobStore'>,
): Promise<readonly string[]> {
  const inLexical = hits.filter(({ places }) => places.lexical !== undefined);
  const texts = await textsOf(inLexical, plan.workspace, blobStore);
  const matched = new Map(
    inLexical.map((match, index) => [
      match,
      matchedTerms(plan.query, texts[index] ?? '', match.candidate.version?.lexical),
    ]),
  );
  return hits.map((hit) => {
    const { vector, lexical } = hit.places;
    return JSON.stringify({
      vector: vector ?? null,
      lexical: lexical === undefined ? null : { ...lexical, terms: matched.get(hit) ?? [] },
      place_before_ranking: hit.placeBefore,
      ranking: hit.note ?? null,
      liveness: livenessOf(hit),
    });
  });
}

/** How the search as a whole went, and the best match that is not among its hits. */
export function explainSearch(outcome: SearchOutcome, plan: RetrievalPlan): string {
  const { t0, fusion, collections, pool, rounds, matches, notLive, missing } = outcome;
  return JSON.stringify({
    mode: plan.mode,
    score: { semantic: 'cosine', lexical: 'bm25', hybrid: 'fused' }[plan.mode],
    fusion: fusion === undefined ? null : { method: fusion.method, dense_weight: fusion.denseWeight },
    ranking: plan.ranking?.kind ?? null,
    cap_per_source: plan.capPerSource ?? null,
    collections,
    seen_at: t0.toISOString(),
    pool,
    rounds,
    matches: matches.length,
    not_live: notLive,
    missing_lists: missing,
    left_out: leftOut(outcome, plan),
  });
}

interface LeftOut {
  readonly chunk_id: string;
  readonly document_id: string;
  readonly collection: string;
  readonly score: number;
  readonly reason: 'limit' | 'cap_per_source' | 'ranking';
}

function leftOut({ hits, matches, ranked }: SearchOutcome, plan: RetrievalPlan): LeftOut | null {
  const shown = new Set(hits.map(({ candidate }) => candidate.id));
  const isOut = (match: Match): boolean => !shown.has(match.candidate.id);
  const best = matches.find(isOut);
  if (best === undefined) return null;
  const { chunkId, documentId, collection, id } = best.candidate;
  const place = ranked.findIndex(({ candidate }) => candidate.id === id);
  const lastShown = ranked.findLastIndex(({ candidate }) => shown.has(candidate.id));
  const passedOver = place !== -1 && place < lastShown;
  const outranked = matches.findIndex(({ candidate }) => candidate.id === id) < plan.limit;
  const reason = passedOver ? 'cap_per_source' : outranked && plan.ranking !== undefined ? 'ranking' : 'limit';
  return { chunk_id: chunkId, document_id: documentId, collection, score: best.score, reason };
}

const livenessOf = ({ candidate: { version } }: RankedMatch): object =>
  version === undefined
    ? { orphaned: true }
    : { version: version.version, live_since: version.liveSince?.toISOString() ?? null };

function matchedTerms(query: string, text: string, analysis: LexicalAnalysis | undefined): readonly string[] {
  if (analysis === undefined) return [];
  const present = new Set(terms(text, analysis));
  return [...new Set(terms(query, analysis))].filter((term) => present.has(term));
}
