import { setTimeout as sleep } from 'node:timers/promises';
import { SluiceApiError, type SluiceApi } from '../../gateway/client/client.js';
import { settlementOf, type Outstanding } from './outstanding.js';
import type { Patience } from './patience.js';

/** Hears every change of the collection. A watch that breaks is begun again; `reconcile` finds what it missed. */
export async function hearEvents(
  client: SluiceApi,
  collection: string,
  outstanding: Outstanding,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of client.watch({ collection, from: 'now', signal })) {
        if (event.kind === 'document') outstanding.hear(event);
      }
    } catch {
      // Begun again below, or not at all once it is ended.
    }
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}

const tickMs = 1_000;
const silenceMs = 3_000;
const questionsATick = 20;

/**
 * Asks about documents of which no event told: those whose event came before the watch began or was lost with a
 * connection. It asks few at a time, and goes on at once while the answers show that events were missed.
 */
export async function reconcile(
  client: SluiceApi,
  outstanding: Outstanding,
  patience: Patience,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const now = Date.now();
    const silent = outstanding.silent(now - silenceMs, questionsATick, now);
    const ended = await Promise.all(
      silent.map(({ operationId }) => ask(client, outstanding, patience, operationId, signal)),
    );
    if (silent.length > 0 && ended.every(Boolean)) continue;
    await sleep(tickMs, undefined, { signal }).catch(() => undefined);
  }
}

async function ask(
  client: SluiceApi,
  outstanding: Outstanding,
  patience: Patience,
  operationId: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const operation = await patience.with(() => client.operation(operationId, { signal }));
    if (operation.state === 'accepted') return false;
    outstanding.settle(operationId, settlementOf(operation));
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SluiceApiError) || error.status !== 404) throw error;
    const reason = 'the server knows nothing of it any more: load it again';
    outstanding.settle(operationId, { ...nothing, state: 'failed', code: error.code, reason });
    return true;
  }
}

const nothing = { unchanged: false, version: null, replaced: null, chunkCount: null };
