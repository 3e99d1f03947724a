import { SluiceError } from '../../../services/domain/errors.js';
import { documentId } from '../../../services/domain/identity.js';
import type { DocumentEvent as Change } from '../../../schema/generated.js';
import type { DocumentRecord } from '../../../services/ports/catalog/port.js';
import type { WatchEvent } from '../../client/types.js';
import { BoundedQueue } from '../../inbox/bounded-queue.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import { requireCollection } from '../collections/require-collection.js';
import type { Call, GatewayContext } from '../context.js';
import { changeView, listedView } from '../views/event.js';

const maxWaitingEvents = 10_000;
const pageSize = 500;

export interface WatchRequest {
  readonly collection?: string;
  readonly document_id?: string;
  /** `listing` (default): every document's present status, then `listed`, then changes. `now`: changes alone. */
  readonly from?: 'listing' | 'now';
}

/**
 * Documents' changes as they happen. Listening starts before the listing and a `seq` that was seen is dropped, so
 * nothing is missed between the two. A watcher that reads too slowly is ended with `unavailable`.
 */
export async function* watch(context: GatewayContext, call: Call, request: WatchRequest): AsyncGenerator<WatchEvent> {
  requireUnfiltered(call.caller, 'watch documents');
  const { collection } = request;
  const id = request.document_id === undefined ? undefined : documentId(request.document_id);
  if (collection !== undefined) await requireCollection(context, call, collection);
  const changes = new BoundedQueue<Change>(maxWaitingEvents, tooSlow);
  const wanted = (document: { readonly collection: string }, its: string): boolean =>
    (collection === undefined || document.collection === collection) && (id === undefined || its === id);
  const stopListening = context.events.onWorkspace(call.caller.workspace, (change) => {
    if (wanted(change, change.document_id)) changes.push(change);
  });
  const leave = (): void => {
    changes.fail(call.signal.reason);
  };
  call.signal.addEventListener('abort', leave, { once: true });
  const seen = new Map<string, number>();
  try {
    if (request.from !== 'now') {
      for await (const document of everyDocument(context, call, request)) {
        if (!wanted(document, document.documentId)) continue;
        seen.set(`${document.collection}/${document.documentId}`, document.seq);
        yield listedView(document);
      }
    }
    yield { kind: 'listed' };
    for await (const change of changes) {
      const key = `${change.collection}/${change.document_id}`;
      if (change.seq <= (seen.get(key) ?? -1)) continue;
      if (change.deleted) seen.delete(key);
      else seen.set(key, change.seq);
      yield changeView(change);
    }
  } finally {
    call.signal.removeEventListener('abort', leave);
    stopListening();
  }
}

async function* everyDocument(
  { ports }: GatewayContext,
  { caller, signal }: Call,
  { collection, document_id }: WatchRequest,
): AsyncGenerator<DocumentRecord> {
  const { workspace } = caller;
  if (collection !== undefined && document_id !== undefined) {
    const document = await ports.catalog.document({ workspace, collection, documentId: document_id });
    if (document !== undefined) yield document;
    return;
  }
  const query = { workspace, ...(collection === undefined ? {} : { collection }), limit: pageSize };
  for (let after: { after?: string } = {}; ;) {
    signal.throwIfAborted();
    const { items, next } = await ports.catalog.documents({ ...query, ...after });
    yield* items;
    if (next === null) return;
    after = { after: next };
  }
}

const tooSlow = (): SluiceError =>
  new SluiceError('unavailable', `this watcher left ${maxWaitingEvents} events unread and was ended: watch again`);
