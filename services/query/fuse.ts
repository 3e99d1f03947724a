import { relative } from '../domain/ranking/relative.js';
import { rrf } from '../domain/ranking/rrf.js';
import type { FusionDefault } from '../ports/embedding-model/port.js';
import type { LiveCandidate } from './liveness.js';
import type { RetrievalPlan } from './plan.js';

export type ListName = 'vector' | 'lexical';

/** What one list says of a candidate. */
export interface Place {
  /** From 1. */
  readonly rank: number;
  /** Cosine or BM25. */
  readonly score: number;
  /** Its part of the fused score. */
  readonly contribution: number;
}

/** A candidate with the score that is shown and where it comes from. */
export interface Match {
  readonly candidate: LiveCandidate;
  readonly score: number;
  readonly places: Readonly<Partial<Record<ListName, Place>>>;
}

/** How a plan's lists are fused: as it says, else as suits its model. */
export function fusionOf(plan: Pick<RetrievalPlan, 'fusion' | 'denseWeight'>, model: FusionDefault): FusionDefault {
  const method = plan.fusion ?? model.method;
  // A model's weight belongs to its method: 0.3 of a min-max sum is no advice for ranks, whose textbook form is equal.
  return { method, denseWeight: plan.denseWeight ?? (method === model.method ? model.denseWeight : 0.5) };
}

/** A search's single list: its own scores are shown. */
export const matchesOf = (name: ListName, list: readonly LiveCandidate[]): readonly Match[] =>
  list.map((candidate, index) => ({
    candidate,
    score: candidate.score,
    places: { [name]: { rank: index + 1, score: candidate.score, contribution: candidate.score } },
  }));

/** Both lists as one. A list that is missing is empty, and changes nothing for the other. */
export function fuseLists(
  vector: readonly LiveCandidate[],
  lexical: readonly LiveCandidate[],
  { method, denseWeight }: FusionDefault,
): readonly Match[] {
  const lists = [vector, lexical];
  const fused =
    method === 'relative'
      ? relative(lists, [denseWeight, 1 - denseWeight])
      : rrf(
          lists.map((list) => list.map(({ id }) => id)),
          { weights: [2 * denseWeight, 2 * (1 - denseWeight)] }, // equal shares are weights of 1
        );
  const candidates = new Map([...lexical, ...vector].map((candidate) => [candidate.id, candidate]));
  const placesIn = (list: readonly LiveCandidate[]): ReadonlyMap<string, Omit<Place, 'contribution'>> =>
    new Map(list.map(({ id, score }, index) => [id, { rank: index + 1, score }]));
  const [inVector, inLexical] = [placesIn(vector), placesIn(lexical)];
  return fused.flatMap(({ id, score, contributions: [fromVector = 0, fromLexical = 0] }) => {
    const candidate = candidates.get(id);
    if (candidate === undefined) return [];
    const [ofVector, ofLexical] = [inVector.get(id), inLexical.get(id)];
    const places = {
      ...(ofVector === undefined ? {} : { vector: { ...ofVector, contribution: fromVector } }),
      ...(ofLexical === undefined ? {} : { lexical: { ...ofLexical, contribution: fromLexical } }),
    };
    return [{ candidate, score, places }];
  });
}
