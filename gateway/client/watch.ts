import { SluiceApiError } from './error.js';
import type { WatchOptions } from './options.js';
import { isTransient, pause, retryDelayMs } from './retry.js';
import { serverSentEvents } from './server-sent-events.js';
import type { Transport } from './transport.js';
import type { DocumentEvent, WatchEvent } from './types.js';

const keyOf = (event: DocumentEvent): string => `${event.collection}/${event.document_id}`;

/**
 * Follows documents' changes over lost connections: it goes on behind the last event seen. If the server no longer keeps
 * what came since, it lists anew: what was seen already is dropped, and what has gone meanwhile is reported as deleted.
 * Throws `events-expired` for a given cursor of which that is so.
 */
export async function* watchDocuments(
  transport: Transport,
  reconnectMs: number,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { signal, from = 'listing', collection, document_id } = options;
  const seen = new Map<string, DocumentEvent>();
  const leaving = new AbortController();
  const both = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]);
  let after = options.after;
  let told = false;
  let lostSince: number | undefined;
  try {
    for (let failures = 0; ; failures++) {
      try {
        const query = { collection, document_id, ...(after === undefined ? { from } : { after }) };
        const response = await transport.send({ method: 'GET', path: '/events', query, signal: both });
        const listing = new Set<string>();
        for await (const { event, data } of serverSentEvents(response)) {
          lostSince = undefined;
          failures = 0;
          if (event === 'error') {
            // A cursor that the server refuses comes to this only if its events expired while they were read.
            if (isExpired(JSON.parse(data))) after = undefined;
            break;
          }
          const change = JSON.parse(data) as WatchEvent;
          after = change.cursor ?? after;
          if (change.kind === 'listed') {
            yield* goneSince(seen, listing);
            if (!told) yield change;
            told = true;
          } else if (change.seq > (seen.get(keyOf(change))?.seq ?? -1)) {
            listing.add(keyOf(change));
            if (change.deleted) seen.delete(keyOf(change));
            else seen.set(keyOf(change), change);
            yield change;
          } else listing.add(keyOf(change));
        }
      } catch (error) {
        signal?.throwIfAborted();
        const lost = error instanceof SluiceApiError && error.code === 'events-expired' && after !== options.after;
        if (lost) after = undefined;
        else if (error instanceof SluiceApiError && !isTransient(error)) throw error;
        else {
          lostSince ??= Date.now();
          if (Date.now() - lostSince >= reconnectMs) throw error;
        }
      }
      await pause(retryDelayMs(failures, undefined), signal);
    }
  } finally {
    leaving.abort();
  }
}

const isExpired = (problem: unknown): boolean =>
  typeof problem === 'object' && problem !== null && 'code' in problem && problem.code === 'events-expired';

/** Documents that were known before the connection was lost and are not in the new listing. */
function* goneSince(seen: Map<string, DocumentEvent>, listing: ReadonlySet<string>): Generator<DocumentEvent> {
  for (const [key, last] of seen) {
    if (listing.has(key)) continue;
    seen.delete(key);
    yield { ...last, deleted: true, live: null, newest: null, operation: null, cursor: null };
  }
}
