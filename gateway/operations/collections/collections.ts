import { describeSpec } from '../../../services/domain/chunker-spec.js';
import { describeSpace } from '../../../services/domain/embedding-space.js';
import { SluiceError } from '../../../services/domain/errors.js';
import { collectionId } from '../../../services/domain/identity.js';
import type { CollectionRecord, NewCollection } from '../../../services/ports/catalog/port.js';
import type { Collection, CreateCollection, CreatedCollection, UpdateCollection } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import type { Call, GatewayContext } from '../context.js';
import { collectionView } from '../views/collection.js';
import { pinnedAnalysis, pinnedModel, pinnedSpec } from './pinning.js';
import { requireActiveCollection, requireCollection } from './require-collection.js';

/** The caller's collections, in byte order of their ids. */
export async function listCollections(
  { ports }: GatewayContext,
  { caller }: Call,
): Promise<{ collections: Collection[] }> {
  const collections = await ports.catalog.collections(caller.workspace);
  return { collections: collections.map(collectionView) };
}

/** Throws collection-not-found. */
export async function getCollection(
  context: GatewayContext,
  call: Call,
  { collection }: { collection: string },
): Promise<Collection> {
  return collectionView(await requireCollection(context, call, collection));
}

/** Creates and pins a collection. Throws collection-exists, invalid-argument, space-mismatch for an unknown model. */
export async function createCollection(
  { ports }: GatewayContext,
  { caller }: Call,
  wanted: CreateCollection,
): Promise<CreatedCollection> {
  requireUnfiltered(caller, 'create a collection');
  const id = collectionId(wanted.collection);
  const created = await ports.catalog.createCollection({
    ...newCollection(caller.workspace, id),
    ...(wanted.name === undefined ? {} : { name: displayName(wanted.name) }),
    description: wanted.description ?? '',
    metadata: wanted.metadata ?? {},
    space: pinnedModel(ports.embeddingModels, wanted.embedding).space,
    chunkerSpec: pinnedSpec(wanted.chunker),
    lexical: pinnedAnalysis(wanted.language),
  });
  return { ...collectionView(created), notice: noticeOf(created) };
}

/** Absent fields stay; a refused update changes nothing. Throws collection-not-found, invalid-argument. */
export async function updateCollection(
  context: GatewayContext,
  call: Call,
  { collection, ...change }: UpdateCollection & { collection: string },
): Promise<Collection> {
  requireUnfiltered(call.caller, 'change a collection');
  const { id } = await requireActiveCollection(context, call, collection);
  const trimmed = change.name === undefined ? change : { ...change, name: displayName(change.name) };
  return collectionView(await context.ports.catalog.updateCollection(call.caller.workspace, id, trimmed));
}

function displayName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== '') return trimmed;
  throw new SluiceError('invalid-argument', "a collection's display name must not be blank");
}

const newCollection = (workspace: string, id: string): Pick<NewCollection, 'workspace' | 'id' | 'name'> => ({
  workspace,
  id,
  name: id,
});

function noticeOf({ id, space, chunkerSpec }: CollectionRecord): string {
  const spec = chunkerSpec === null ? 'no chunker' : describeSpec(chunkerSpec);
  return (
    `collection "${id}" is pinned to embedding model ${describeSpace(space)} and to chunks of ${spec}; ` +
    `"sluice collections reindex ${id} --model …" changes the model, "sluice collections rechunk ${id}" the chunks`
  );
}
