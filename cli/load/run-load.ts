import type { SluiceApi } from '../../gateway/client/client.js';
import { hearEvents, reconcile } from './follow.js';
import { askWhatIsKnown } from './known.js';
import type { Ledger } from './ledger.js';
import { Outstanding } from './outstanding.js';
import { Patience } from './patience.js';
import type { LoadItem, LoadPlan } from './plan.js';
import { sendItem, type Sending } from './send.js';
import { Tally, type LoadSummary } from './tally.js';

/** How far a load has come. */
export interface LoadProgress {
  /** Documents found so far; `foundAll` once that is all of them. */
  readonly found: number;
  readonly foundAll: boolean;
  readonly sent: number;
  readonly sentBytes: number;
  readonly chunked: number;
  readonly chunks: number;
  readonly ready: number;
  readonly unchanged: number;
  readonly failed: number;
}

export interface LoadRun {
  /** Resolves when every document has ended; rejects with what ended the load before. */
  readonly done: Promise<LoadSummary>;
  progress(): LoadProgress;
  /** What has ended so far. */
  summary(): LoadSummary;
  /** Documents that the server took and goes on with by itself. */
  outstanding(): number;
}

const restartMs = 120_000;

/**
 * Sends documents to the server, a few at a time, and follows them until each has ended. Holds one short record for
 * each document at work, no bytes. `unreadable` gets what the search for files could not look into.
 */
export function runLoad(
  client: SluiceApi,
  plan: LoadPlan,
  ledger: Ledger,
  items: AsyncIterable<LoadItem | { readonly path: string; readonly unreadable: string }>,
  signal: AbortSignal,
  onWaiting: () => void,
): LoadRun {
  const began = performance.now();
  const tally = new Tally();
  const outstanding = new Outstanding(tally);
  const ending = new AbortController();
  const both = AbortSignal.any([signal, ending.signal]);
  const patience = new Patience(restartMs, both, onWaiting);
  let found = 0;
  let foundAll = false;
  let sent = 0;
  let sentBytes = 0;

  const send = async (): Promise<void> => {
    const sending: Sending = {
      client,
      plan,
      ledger,
      outstanding,
      tally,
      patience,
      signal: both,
      known: await patience.with(() => askWhatIsKnown(client, plan, ledger, both)),
      onSent: (bytes) => {
        sent++;
        sentBytes += bytes;
      },
    };
    const source = items[Symbol.asyncIterator]();
    const worker = async (): Promise<void> => {
      for (let next = await source.next(); next.done !== true; next = await source.next()) {
        both.throwIfAborted();
        found++;
        if ('unreadable' in next.value) tally.fail(next.value.path, 'unreadable', next.value.unreadable);
        else await sendItem(sending, next.value);
      }
    };
    await Promise.all(Array.from({ length: plan.concurrency }, worker));
    foundAll = true;
    await outstanding.empty(both);
  };

  const summary = (): LoadSummary => tally.summary((performance.now() - began) / 1000);
  const all = async (): Promise<LoadSummary> => {
    const listening = hearEvents(client, plan.collection, outstanding, both);
    const asking = reconcile(client, outstanding, patience, both);
    try {
      // Asking goes on until it is ended: it can only win by failing.
      await Promise.race([send(), asking.then(() => new Promise<never>(() => undefined))]);
      return summary();
    } finally {
      ending.abort();
      await Promise.allSettled([listening, asking]);
      await ledger.compact();
    }
  };
  return {
    done: all(),
    summary,
    outstanding: () => outstanding.size,
    progress: () => ({
      found,
      foundAll,
      sent,
      sentBytes,
      chunked: outstanding.chunked.documents,
      chunks: outstanding.chunked.chunks,
      ready: tally.ready,
      unchanged: tally.summary(0).unchanged,
      failed: tally.failures,
    }),
  };
}
