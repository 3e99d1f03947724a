import { SluiceError } from '../domain/errors.js';
import { capPerSource } from '../domain/ranking/cap-per-source.js';
import type { FusionDefault } from '../ports/embedding-model/port.js';
import { checkVector } from './encode.js';
import { filteredScopes } from './filters.js';
import { fuseLists, fusionOf, matchesOf, type ListName, type Match } from './fuse.js';
import { Liveness } from './liveness.js';
import type { RetrievalPlan } from './plan.js';
import { rankMatches, type RankedMatch } from './rank.js';
import { rankInputs } from './rank-inputs.js';
import { searchedCollections } from './scopes.js';
import type { SearchPorts } from './search-ports.js';
import { Sources } from './sources.js';

/** The hits of a search, best first, and how it came to them. */
export interface SearchOutcome {
  readonly hits: readonly RankedMatch[];
  readonly missing: readonly ListName[];
  readonly t0: Date;
  readonly fusion: FusionDefault | undefined;
  /** Everything that counted, in the order before ranking. */
  readonly matches: readonly Match[];
  /** What ranking put in order; the hits are the first of it that the cap lets pass. */
  readonly ranked: readonly RankedMatch[];
  readonly collections: readonly string[];
  /** How many candidates each list was asked for in the end, and after how many rounds. */
  readonly pool: number;
  readonly rounds: number;
  /** Candidates dropped because their version was not live at t0. */
  readonly notLive: number;
}

interface SearchContext {
  readonly ports: SearchPorts;
  readonly signal: AbortSignal;
  onMissing(list: ListName, error: unknown): void;
}

const leastPool = 50;
const widening = 4;
/** A cap per source widens the search no further than this; a dead version in the way widens it to the end. */
const widestForCap = leastPool * widening ** 3;

/**
 * Searches by a plan: candidates of each list, those of live versions only, fused, ranked, capped, cut. The lists are
 * asked for more, fourfold each time, until the limit is filled or nothing more is to be found.
 */
export async function search(plan: RetrievalPlan, { ports, signal, onMissing }: SearchContext): Promise<SearchOutcome> {
  const { catalog, embeddingModels, vectorStore: store } = ports;
  const { t0, space, scopes } = await searchedCollections(catalog, plan.workspace, plan.collections);
  if (plan.vector !== undefined) checkVector(plan.vector, space);
  if (plan.ranking?.kind === 'rerank' && ports.reranker === undefined) {
    throw new SluiceError('unsupported', 'rank rerank needs a reranker, and none is configured: use mmr or recency');
  }
  const needsModel = plan.mode !== 'lexical' && plan.vector === undefined;
  const model = needsModel ? embeddingModels.ofSpace(space.id) : undefined;
  const fusion = plan.mode === 'hybrid' && model !== undefined ? fusionOf(plan, model.fusion) : undefined;
  const filtered = await filteredScopes(catalog, scopes, plan);
  const sources = new Sources({ plan, scopes: filtered, store, model, signal, onMissing });
  const liveness = new Liveness(catalog, t0);
  const inputs = rankInputs(plan, scopes, ports, t0, signal);

  for (let pool = Math.max(plan.limit, leastPool), rounds = 1; ; pool *= widening, rounds++) {
    signal.throwIfAborted();
    const { vector, lexical } = await sources.lists(pool);
    await liveness.decide([...vector.candidates, ...lexical.candidates]);
    const [inVector, inLexical] = [liveness.living(vector.candidates), liveness.living(lexical.candidates)];
    const matches =
      fusion !== undefined
        ? fuseLists(inVector, inLexical, fusion)
        : plan.mode === 'lexical'
          ? matchesOf('lexical', inLexical)
          : matchesOf('vector', inVector);
    const more = vector.more || lexical.more;
    if (more && matches.length < plan.limit) continue;

    const choose = plan.capPerSource === undefined ? plan.limit : pool;
    const ranked = await rankMatches(
      matches.slice(0, pool),
      { ranking: plan.ranking, mode: plan.mode, choose },
      inputs,
    );
    const hits = capped(ranked, plan.capPerSource).slice(0, plan.limit);
    if (more && hits.length < plan.limit && pool < widestForCap) continue;
    const notLive = vector.candidates.length + lexical.candidates.length - inVector.length - inLexical.length;
    return {
      ...{ hits, missing: sources.missing, t0, fusion, matches, ranked, pool, rounds, notLive },
      collections: scopes.map(({ collection }) => collection),
    };
  }
}

const capped = (ranked: readonly RankedMatch[], cap: number | undefined): readonly RankedMatch[] =>
  cap === undefined ? ranked : capPerSource(ranked, cap, ({ candidate }) => sourceOf(candidate));

/** Documents without a source are each their own. */
const sourceOf = ({ version, source, collection, documentId }: RankedMatch['candidate']): string =>
  version?.source ?? (source === '' ? `${collection}/${documentId}` : source);
