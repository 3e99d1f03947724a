import type { SluiceApi, SyncRoot } from '../../gateway/client/client.js';
import type { Skipped } from '../load/items.js';
import type { Ledger } from '../load/ledger.js';
import type { LoadRun } from '../load/run-load.js';

/** What one sync is to do, and with what. */
export interface SyncRequest {
  readonly client: SluiceApi;
  readonly collection: string;
  readonly roots: readonly SyncRoot[];
  readonly ledger: Ledger;
  readonly skipped: Skipped;
  readonly concurrency: number;
  readonly prune: boolean;
  /** A folder that gives no file any more is believed: else it counts as one that is not mounted. */
  readonly allowEmpty: boolean;
  readonly signal: AbortSignal;
  /** Told of each load as it begins, for progress. */
  onLoad(run: LoadRun): void;
  onWaiting(): void;
}
