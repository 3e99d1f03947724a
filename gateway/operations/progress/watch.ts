import { SluiceError } from '../../../services/domain/errors.js';
import { documentId } from '../../../services/domain/identity.js';
import type { DocumentRecord } from '../../../services/ports/catalog/port.js';
import type { WatchEvent } from '../../client/types.js';
import { BoundedQueue } from '../../inbox/bounded-queue.js';
import type { PlacedEvent } from '../../inbox/placed-event.js';
import { EventCursor } from '../../inbox/event-cursor.js';
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
  /** The cursor of the last event seen: what came after it, then changes; nothing is listed. */
  readonly after?: string;
}

/**
 * Documents' changes as they happen. Listening starts before the listing and a `seq` that was seen is dropped, so
 * nothing is missed between the two. A watcher that reads too slowly is ended with `unavailable`; it goes on with the
 * cursor of the last event that it read. Throws events-expired for a cursor of events that are no longer kept.
 */
export async function* watch(context: GatewayContext, call: Call, request: WatchRequest): AsyncGenerator<WatchEvent> {
  requireUnfiltered(call.caller, 'watch documents');
  const { collection } = request;
  const id = request.document_id === undefined ? undefined : documentId(request.document_id);
  if (collection !== undefined) await requireCollection(context, call, collection);
  const resumed = request.after === undefined ? undefined : EventCursor.parse(request.after);
  const changes = new BoundedQueue<PlacedEvent>(maxWaitingEvents, tooSlow);
  const wanted = (document: { readonly collection: string }, its: string): boolean =>
    (collection === undefined || document.collection === collection) && (id === undefined || its === id);
  const stopListening = context.events.onWorkspace(call.caller.workspace, (placed) => {
    if (wanted(placed.event, placed.event.document_id)) changes.push(placed);
  });
  const leave = (): void => {
    changes.fail(call.signal.reason);
  };
  call.signal.addEventListener('abort', leave, { once: true });
  const seen = new Map<string, number>();
  try {
    const cursor = resumed ?? (await context.events.end());
    if (resumed === undefined && request.from !== 'now') {
      for await (const document of everyDocument(context, call, request)) {
        if (!wanted(document, document.documentId)) continue;
        seen.set(`${document.collection}/${document.documentId}`, document.seq);
        yield listedView(document);
      }
    }
    if (resumed === undefined) yield { kind: 'listed', cursor: cursor.toString() };
    for await (const { event, partition, offset } of inOrder(context, call, resumed, changes)) {
      if (cursor.has(partition, offset) && resumed !== undefined) continue;
      if (!cursor.has(partition, offset)) cursor.pass(partition, offset);
      if (event.workspace !== call.caller.workspace || !wanted(event, event.document_id)) continue;
      const key = `${event.collection}/${event.document_id}`;
      if (event.seq <= (seen.get(key) ?? -1)) continue;
      if (event.deleted) seen.delete(key);
      else seen.set(key, event.seq);
      yield changeView(event, cursor.toString());
    }
  } finally {
    call.signal.removeEventListener('abort', leave);
    stopListening();
  }
}

/** What came while the watcher was away, then what comes. */
async function* inOrder(
  { events }: GatewayContext,
  { signal }: Call,
  resumed: EventCursor | undefined,
  changes: AsyncIterable<PlacedEvent>,
): AsyncGenerator<PlacedEvent> {
  if (resumed !== undefined) {
    const since = new EventCursor(resumed.positions);
    for await (const placed of events.since(since)) {
      signal.throwIfAborted();
      yield placed;
    }
  }
  yield* changes;
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
