import type { ScoredPoint } from '../ports/vector-store/port.js';
import { byScoreThenId, distinct } from '../domain/ranking/fused.js';
import { SluiceError } from '../domain/errors.js';

/** A point that one list found, in the collection it was found in. */
export interface Candidate extends ScoredPoint {
  readonly id: string;
  readonly workspace: string;
  readonly collection: string;
}

/** One list of a search: what the vectors, or the terms, say. */
export interface CandidateList {
  /** Best first, ids unique. */
  readonly candidates: readonly Candidate[];
  /** Whether the stores may hold more than they were asked for. */
  readonly more: boolean;
}

export const emptyList: CandidateList = { candidates: [], more: false };

/** The lists of several collections as one, by score. Throws invalid-response for a score that is no number. */
export function mergeLists(
  found: readonly {
    readonly workspace: string;
    readonly collection: string;
    readonly points: readonly ScoredPoint[];
  }[],
  asked: number,
): CandidateList {
  const candidates = found.flatMap(({ workspace, collection, points }) =>
    points.map((point) => ({ ...point, id: point.chunkId, workspace, collection })),
  );
  const broken = candidates.find(({ score }) => !Number.isFinite(score));
  if (broken !== undefined) {
    throw new SluiceError(
      'invalid-response',
      `the vector store gave chunk ${broken.chunkId} the score ${broken.score}, which is no number`,
    );
  }
  return {
    candidates: distinct(candidates.sort(byScoreThenId), ({ id }) => id),
    more: found.some(({ points }) => points.length >= asked),
  };
}

/** The list without what scores below `minScore`; what the stores hold beyond would score lower still. */
export function atLeast(list: CandidateList, minScore: number | undefined): CandidateList {
  if (minScore === undefined) return list;
  const candidates = list.candidates.filter(({ score }) => score >= minScore);
  return { candidates, more: list.more && candidates.length === list.candidates.length };
}
