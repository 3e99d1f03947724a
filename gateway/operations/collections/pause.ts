import { topics } from '../../../schema/topics.js';
import { uuidOf } from '../../../services/domain/identity.js';
import { output } from '../../../services/runtime/processor.js';
import type { Collection } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import type { Call, GatewayContext } from '../context.js';
import { collectionView } from '../views/collection.js';
import { requireActiveCollection } from './require-collection.js';

const pageSize = 500;

/**
 * New versions are taken in and wait as `pending`; what is at work ends. Nothing waits on the bus, so no other collection
 * is slowed. Throws collection-not-found, collection-deleting.
 */
export async function pauseCollection(
  context: GatewayContext,
  call: Call,
  { collection }: { collection: string },
): Promise<Collection> {
  requireUnfiltered(call.caller, 'pause a collection');
  const { id } = await requireActiveCollection(context, call, collection);
  return collectionView(await context.ports.catalog.pauseCollection(call.caller.workspace, id, true));
}

/**
 * Puts what waits to work, in byte order of the document ids. Whatever was taken in during the pause is committed before
 * the pause ends, so the listing that follows has it; what a crash leaves of it, a sweep finds silent.
 */
export async function resumeCollection(
  context: GatewayContext,
  call: Call,
  { collection }: { collection: string },
): Promise<Collection> {
  requireUnfiltered(call.caller, 'resume a collection');
  const { workspace } = call.caller;
  const { id } = await requireActiveCollection(context, call, collection);
  const { catalog } = context.ports;
  const resumed = await catalog.pauseCollection(workspace, id, false);
  let after: { after?: string } | undefined = {};
  while (after !== undefined) {
    const page = await catalog.documents({ workspace, collection: id, state: 'pending', limit: pageSize, ...after });
    await context.publisher.publish(
      page.items.flatMap(({ documentId, seq, newest }) =>
        newest === null
          ? []
          : [
              output(
                topics.documentCommands,
                {
                  ...{ kind: 'resumed', workspace, collection: id, document_id: documentId, seq },
                  ...{ version: newest.version, version_hash: newest.versionHash },
                },
                { 'message-id': uuidOf(`resumed\0${newest.versionHash}\0${seq}`), workspace, flow: newest.flow },
              ),
            ],
      ),
    );
    after = page.next === null ? undefined : { after: page.next };
  }
  return collectionView(resumed);
}
