import { documentDate } from '../domain/ranking/document-date.js';
import { mmr } from '../domain/ranking/mmr.js';
import { recency } from '../domain/ranking/recency.js';
import type { Match } from './fuse.js';
import type { Mode, Ranking } from './plan.js';

/** What a ranking did to a hit, as `explain` shows it. */
export type RankNote =
  | { readonly kind: 'mmr'; readonly value: number; readonly redundancy: number }
  | { readonly kind: 'recency'; readonly date: string | null; readonly factor: number; readonly score: number }
  | { readonly kind: 'rerank'; readonly score: number };

/** A match with its place before ranking (from 1) and what ranking did. The shown score never changes. */
export interface RankedMatch extends Match {
  readonly placeBefore: number;
  readonly note?: RankNote;
}

/** What a ranking needs beyond the matches. */
export interface RankInputs {
  /** Of these matches, by chunk id. */
  vectors(matches: readonly Match[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** One score per match, in order, higher is better. */
  rerank(matches: readonly Match[]): Promise<readonly number[]>;
  readonly now: Date;
}

/** Orders the matches (best first as they come) by the plan's ranking, if it has one. */
export async function rankMatches(
  matches: readonly Match[],
  { ranking, mode, choose }: { ranking?: Ranking | undefined; mode: Mode; choose: number },
  inputs: RankInputs,
): Promise<readonly RankedMatch[]> {
  const placed = matches.map((match, index) => ({ ...match, placeBefore: index + 1 }));
  switch (ranking?.kind) {
    case undefined:
      return placed;
    case 'mmr': {
      const vectors = await inputs.vectors(matches);
      const relevance = relevanceOf(matches, mode);
      const candidates = placed.map((match) => {
        const vector = vectors.get(match.candidate.id);
        return {
          id: match.candidate.id,
          relevance: relevance(match.score),
          match,
          ...(vector === undefined ? {} : { vector }),
        };
      });
      return mmr(candidates, { lambda: ranking.lambda, limit: choose }).map(
        ({ candidate: { match }, value, redundancy }) => ({ ...match, note: { kind: 'mmr', value, redundancy } }),
      );
    }
    case 'recency': {
      const dated = placed.map((match) => ({ item: match, score: match.score, date: dateOf(match) }));
      return recency(dated, { now: inputs.now, halfLifeDays: ranking.halfLifeDays }).map(
        ({ item, date, factor, aged }) => ({
          ...item,
          note: { kind: 'recency', date: date?.toISOString() ?? null, factor, score: aged },
        }),
      );
    }
    case 'rerank': {
      const scores = await inputs.rerank(matches);
      return placed
        .map((match, index) => ({ ...match, note: { kind: 'rerank' as const, score: scores[index] ?? -Infinity } }))
        .sort((a, b) => b.note.score - a.note.score || a.placeBefore - b.placeBefore);
    }
  }
}

/**
 * MMR weighs relevance against cosines, so relevance must be on their scale: a cosine is, a fused score or a BM25 is
 * not (an RRF score of 0.03 would count as nothing), and is taken as its share of the best.
 */
function relevanceOf(matches: readonly Match[], mode: Mode): (score: number) => number {
  const best = matches.reduce((most, { score }) => Math.max(most, score), 0);
  return mode === 'semantic' || best <= 0 ? (score) => score : (score) => score / best;
}

function dateOf({ candidate }: Match): Date | undefined {
  const { version } = candidate;
  if (version === undefined) return undefined; // an orphan is undated
  const { attributes, fileTime, source, createdAt } = version;
  return documentDate({ attributes, fileTime, source: source ?? candidate.source, ingestedAt: createdAt });
}
