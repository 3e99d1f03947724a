import type { Filter } from '../domain/filter/filter.js';
import { terms } from '../domain/lexical/terms.js';
import type { ScoredPoint, SearchOptions, VectorScope, VectorStore } from '../ports/vector-store/port.js';
import { mergeLists, type CandidateList } from './candidate.js';

/** One collection of a search, with the filter as that collection's store can apply it. */
export interface FilteredScope {
  readonly scope: VectorScope;
  readonly filter: Filter | undefined;
}

interface ListOptions {
  /** How many to ask each collection for. */
  readonly pool: number;
  readonly signal: AbortSignal;
}

/** The nearest of every collection, as one list. */
export const searchVectors = (
  store: VectorStore,
  scopes: readonly FilteredScope[],
  vector: Float32Array,
  options: ListOptions,
): Promise<CandidateList> => searchEach(scopes, options, (scope, search) => store.searchVector(scope, vector, search));

/** The best of every collection by the query's terms, each by its own analysis, as one list. */
export const searchTerms = (
  store: VectorStore,
  scopes: readonly FilteredScope[],
  query: string,
  options: ListOptions,
): Promise<CandidateList> =>
  searchEach(scopes, options, async (scope, search) => {
    const words = terms(query, scope.lexical);
    return words.length === 0 ? [] : store.searchTerms(scope, words, search);
  });

async function searchEach(
  scopes: readonly FilteredScope[],
  { pool, signal }: ListOptions,
  search: (scope: VectorScope, options: SearchOptions) => Promise<readonly ScoredPoint[]>,
): Promise<CandidateList> {
  const found = await Promise.all(
    scopes.map(async ({ scope, filter }) => ({
      workspace: scope.workspace,
      collection: scope.collection,
      points: await search(scope, { limit: pool, signal, ...(filter === undefined ? {} : { filter }) }),
    })),
  );
  return mergeLists(found, pool);
}
