import { describeSpace, sameSpace, type EmbeddingSpace } from '../domain/embedding-space.js';
import { SluiceError } from '../domain/errors.js';
import type { Catalog, CollectionRecord } from '../ports/catalog/port.js';
import type { VectorScope } from '../ports/vector-store/port.js';

/** The collections of one search, all in one space. */
export interface SearchedCollections {
  /** The catalog's time of the search: the space has answered for all of them since before it. */
  readonly t0: Date;
  readonly space: EmbeddingSpace;
  readonly scopes: readonly VectorScope[];
}

/**
 * The named collections, or all of the workspace's. Throws collection-not-found for one that does not exist in the
 * workspace (another's is no different), space-mismatch naming two that cannot be searched together.
 */
export async function searchedCollections(
  catalog: Pick<Catalog, 'now' | 'collection' | 'collections'>,
  workspace: string,
  named: readonly string[],
): Promise<SearchedCollections> {
  const t0 = await catalog.now();
  const found =
    named.length > 0
      ? await Promise.all(named.map((id) => existing(catalog, workspace, id)))
      : (await catalog.collections(workspace)).filter(({ state }) => state === 'active');
  const [first] = found;
  if (first === undefined) {
    throw new SluiceError('collection-not-found', `workspace "${workspace}" has no collections: load documents first`);
  }
  const other = found.find(({ space }) => !sameSpace(space, first.space));
  if (other !== undefined) {
    throw new SluiceError(
      'space-mismatch',
      `collection "${first.id}" uses ${describeSpace(first.space)}, collection "${other.id}" uses ` +
        `${describeSpace(other.space)}: search them one at a time, or reindex one of them`,
    );
  }
  // The versions that were live before a reindex ended need not all stand in the space that took over.
  if (found.some(({ spaceSince }) => spaceSince !== null && spaceSince >= t0.getTime())) {
    return searchedCollections(catalog, workspace, named);
  }
  return {
    t0,
    space: first.space,
    scopes: found.map(({ id, space, lexical }) => ({ workspace, collection: id, space, lexical })),
  };
}

async function existing(
  catalog: Pick<Catalog, 'collection'>,
  workspace: string,
  id: string,
): Promise<CollectionRecord> {
  const collection = await catalog.collection(workspace, id);
  if (collection?.state === 'active') return collection;
  throw new SluiceError('collection-not-found', `workspace "${workspace}" has no collection "${id}"`);
}
