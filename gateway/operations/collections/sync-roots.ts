import { SluiceError } from '../../../services/domain/errors.js';
import type { SyncRoot as StoredRoot } from '../../../services/ports/catalog/port.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import type { ChangeSyncRoots, SyncRoot, SyncRoots } from '../../client/types.js';
import type { Call, GatewayContext } from '../context.js';
import { requireActiveCollection, requireCollection } from './require-collection.js';

/** Where a collection's documents come from, as `sync` recorded it. Throws collection-not-found. */
export async function listSyncRoots(
  context: GatewayContext,
  call: Call,
  { collection }: { readonly collection: string },
): Promise<SyncRoots> {
  requireUnfiltered(call.caller, 'read where documents come from');
  const { workspace, id } = await requireCollection(context, call, collection);
  return view(await context.ports.catalog.syncRoots(workspace, id));
}

/** Records and forgets roots; documents stay as they are. Throws collection-not-found, collection-deleting. */
export async function changeSyncRoots(
  context: GatewayContext,
  call: Call,
  { collection, record = [], forget = [] }: ChangeSyncRoots & { readonly collection: string },
): Promise<SyncRoots> {
  requireUnfiltered(call.caller, 'change where documents come from');
  const names = record.map(({ root }) => root);
  if (new Set(names).size < names.length) throw new SluiceError('invalid-argument', 'a root is given twice');
  const { workspace, id } = await requireActiveCollection(context, call, collection);
  const stored = record.map(({ root, tags = null, metadata = null }) => ({ root, tags, metadata }));
  return view(await context.ports.catalog.changeSyncRoots(workspace, id, { record: stored, forget }));
}

const view = (roots: readonly StoredRoot[]): SyncRoots => ({
  roots: roots.map(({ root, tags, metadata }): SyncRoot => ({
    root,
    ...(tags === null ? {} : { tags: [...tags] }),
    ...(metadata === null
      ? {}
      : {
          metadata: Object.fromEntries(
            Object.entries(metadata).map(([key, value]) => [key, typeof value === 'object' ? [...value] : value]),
          ),
        }),
  })),
});
