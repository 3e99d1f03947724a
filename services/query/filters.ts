import type { RetrievalOptions } from '../../schema/generated.js';
import { SluiceError } from '../domain/errors.js';
import { expandFilter, maxExpandedValues } from '../domain/filter/expand-filter.js';
import { allOf, type Filter } from '../domain/filter/filter.js';
import { parseFilter } from '../domain/filter/parse-filter.js';
import type { Catalog } from '../ports/catalog/port.js';
import type { VectorScope } from '../ports/vector-store/port.js';
import type { FilteredScope } from './lists.js';

/** The conditions of a search: what the asker wants, and what the asker's key demands. */
export interface Conditions {
  readonly where?: Filter;
  readonly requiredWhere?: Filter;
}

/** Throws invalid-argument naming the clause that is wrong; forbidden, and no word of it, for one that the key carries. */
export function parseConditions({ where, required_where: required }: RetrievalOptions): Conditions {
  return {
    ...(where === null ? {} : { where: parseFilter(where) }),
    ...(required === null ? {} : { requiredWhere: parseUnseen(required) }),
  };
}

/**
 * Each collection with the filter as its store can apply it: patterns and orders become the values that the collection
 * has. If a condition cannot be evaluated, this throws, and no store is asked.
 */
export async function filteredScopes(
  catalog: Pick<Catalog, 'attributeValues'>,
  scopes: readonly VectorScope[],
  { where, requiredWhere }: Conditions,
): Promise<readonly FilteredScope[]> {
  return Promise.all(
    scopes.map(async (scope) => {
      const { workspace, collection } = scope;
      const expand = async (filter: Filter | undefined): Promise<Filter | undefined> =>
        filter === undefined
          ? undefined
          : expandFilter(filter, (key) => catalog.attributeValues(workspace, collection, key, maxExpandedValues));
      const wanted = await expand(where);
      const demanded = await expand(requiredWhere).catch((error: unknown) => {
        throw unseen(error);
      });
      return { scope, filter: allOf(wanted, demanded) };
    }),
  );
}

function parseUnseen(where: string): Filter {
  try {
    return parseFilter(where);
  } catch (error) {
    throw unseen(error);
  }
}

/** A fault in the key's own filter is not the asker's, and its words are not for the asker. */
function unseen(error: unknown): unknown {
  if (!(error instanceof SluiceError) || error.class !== 'terminal') return error;
  const message = 'a filter that comes with the caller’s key cannot be evaluated: tell who issued the key';
  return new SluiceError('forbidden', message, { cause: error });
}
