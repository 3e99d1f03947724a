import { SluiceError } from '../../../services/domain/errors.js';
import { collectionId } from '../../../services/domain/identity.js';
import type { CollectionRecord } from '../../../services/ports/catalog/port.js';
import type { Call, GatewayContext } from '../context.js';

/** A collection of the caller's workspace. Throws invalid-argument for what is no name, collection-not-found. */
export async function requireCollection(
  { ports }: GatewayContext,
  { caller }: Call,
  id: string,
): Promise<CollectionRecord> {
  const collection = await ports.catalog.collection(caller.workspace, collectionId(id));
  if (collection !== undefined) return collection;
  throw new SluiceError(
    'collection-not-found',
    `there is no collection "${id}" in workspace "${caller.workspace}": create it with "sluice collections create ${id}"`,
  );
}

/** The same, unless it is being deleted: then `collection-deleting`. */
export async function requireActiveCollection(
  context: GatewayContext,
  call: Call,
  id: string,
): Promise<CollectionRecord> {
  const collection = await requireCollection(context, call, id);
  if (collection.state === 'active') return collection;
  throw new SluiceError('collection-deleting', `collection "${id}" is being deleted: wait until it is gone`);
}
