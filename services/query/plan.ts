import type { RetrievalOptions, RetrievalRequested } from '../../schema/generated.js';
import { SluiceError } from '../domain/errors.js';
import { parseConditions, type Conditions } from './filters.js';

export type Mode = 'semantic' | 'lexical' | 'hybrid';

export type Ranking =
  | { readonly kind: 'mmr'; readonly lambda: number }
  | { readonly kind: 'recency'; readonly halfLifeDays: number }
  | { readonly kind: 'rerank' };

/** A request whose every option is known, in bounds, and goes with the others. */
export interface RetrievalPlan extends Conditions {
  readonly workspace: string;
  /** Empty: all of the workspace's. */
  readonly collections: readonly string[];
  readonly query: string;
  /** Given instead of a query text. */
  readonly vector?: Float32Array;
  readonly limit: number;
  readonly mode: Mode;
  readonly minScore?: number;
  readonly fusion?: 'rrf' | 'relative';
  readonly denseWeight?: number;
  readonly ranking?: Ranking;
  readonly capPerSource?: number;
  readonly explain: boolean;
  readonly degrade: boolean;
}

const maxLimit = 1000;

/** Checks a request before it costs anything. Throws invalid-argument, naming the option and its bounds. */
export function planRetrieval(
  request: RetrievalRequested,
  { maxQueryBytes }: { maxQueryBytes: number },
): RetrievalPlan {
  const { workspace, embeddings, options } = request;
  const shared = {
    workspace,
    ...parseConditions(options),
    ...present({ capPerSource: capOf(options), ranking: rankingOf(options) }),
    explain: options.explain,
    degrade: options.degrade,
  };
  if (embeddings !== null) {
    const mode = 'semantic';
    return {
      ...shared,
      collections: [embeddings.collection],
      query: '',
      vector: embeddings.vector,
      limit: limitOf(embeddings.limit),
      mode,
      ...present({ minScore: minScoreOf(options, mode) }),
    };
  }
  const mode = modeOf(options.mode);
  return {
    ...shared,
    collections: [...new Set(options.collections)],
    query: queryOf(request.query, maxQueryBytes),
    limit: limitOf(options.limit),
    mode,
    ...present({ minScore: minScoreOf(options, mode), ...fusionOf(options, mode) }),
  };
}

const refuse = (message: string): never => {
  throw new SluiceError('invalid-argument', message);
};

/** What is there of an object's values: an absent option is an absent key. */
type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };
const present = <T extends object>(values: T): Present<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;

function queryOf(query: string, maxQueryBytes: number): string {
  if (query.trim() === '') refuse('the query is empty: say what to look for');
  const bytes = Buffer.byteLength(query);
  if (bytes > maxQueryBytes) {
    refuse(`the query has ${bytes} bytes; at most ${maxQueryBytes} are taken: ask something shorter`);
  }
  return query;
}

function limitOf(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  return refuse(`limit ${limit} is not a whole number from 1 to ${maxLimit}`);
}

function modeOf(mode: string): Mode {
  if (mode === 'semantic' || mode === 'lexical' || mode === 'hybrid') return mode;
  return refuse(`mode ${JSON.stringify(mode)} is unknown: use semantic, lexical or hybrid`);
}

function minScoreOf({ min_score: minScore }: RetrievalOptions, mode: Mode): number | undefined {
  if (minScore === null) return undefined;
  if (mode === 'hybrid') {
    return refuse(`min_score ${minScore} with mode hybrid: fused scores have no absolute scale; use mode semantic`);
  }
  if (!Number.isFinite(minScore)) return refuse(`min_score ${minScore} is not a number`);
  if (mode === 'semantic' && Math.abs(minScore) > 1) {
    return refuse(`min_score ${minScore} is not a cosine: give a number from -1 to 1`);
  }
  return minScore;
}

function fusionOf(
  { fusion, dense_weight: denseWeight }: RetrievalOptions,
  mode: Mode,
): { fusion?: 'rrf' | 'relative' | undefined; denseWeight?: number | undefined } {
  if (mode !== 'hybrid' && (fusion !== null || denseWeight !== null)) {
    return refuse(`fusion and dense_weight go with mode hybrid only; mode ${mode} has one list`);
  }
  if (fusion !== null && fusion !== 'rrf' && fusion !== 'relative') {
    return refuse(`fusion ${JSON.stringify(fusion)} is unknown: use rrf or relative`);
  }
  if (denseWeight !== null && !(denseWeight >= 0 && denseWeight <= 1)) {
    return refuse(`dense_weight ${denseWeight} is not between 0 and 1`);
  }
  return { fusion: fusion ?? undefined, denseWeight: denseWeight ?? undefined };
}

function rankingOf({ rank, mmr_lambda: lambda, half_life_days: halfLife }: RetrievalOptions): Ranking | undefined {
  if (lambda !== null && rank !== 'mmr') return refuse('mmr_lambda goes with rank mmr only');
  if (halfLife !== null && rank !== 'recency') return refuse('half_life_days goes with rank recency only');
  switch (rank) {
    case null:
      return undefined;
    case 'mmr':
      if (lambda !== null && !(lambda >= 0 && lambda <= 1)) refuse(`mmr_lambda ${lambda} is not between 0 and 1`);
      return { kind: 'mmr', lambda: lambda ?? 0.5 };
    case 'recency':
      if (halfLife !== null && !(halfLife > 0 && Number.isFinite(halfLife))) {
        refuse(`half_life_days ${halfLife} is not above 0`);
      }
      return { kind: 'recency', halfLifeDays: halfLife ?? 90 };
    case 'rerank':
      return { kind: 'rerank' };
    default:
      return refuse(`rank ${JSON.stringify(rank)} is unknown: use one of mmr, recency, rerank`);
  }
}

function capOf({ cap_per_source: cap }: RetrievalOptions): number | undefined {
  if (cap === null) return undefined;
  if (Number.isSafeInteger(cap) && cap >= 1) return cap;
  return refuse(`cap_per_source ${cap} is not a whole number of at least 1`);
}
