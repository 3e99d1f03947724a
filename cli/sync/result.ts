import type { Failure, LoadSummary } from '../load/tally.js';

/** What a sync did. */
export interface SyncSummary {
  readonly roots: readonly string[];
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Sources whose file is no more; with --prune, and if nothing was unreadable, their documents are deleted. */
  readonly gone: readonly string[];
  readonly deleted: number;
  readonly failed: readonly Failure[];
  readonly chunks: number;
  readonly seconds: number;
}

/** What a sync would do. */
export interface SyncPlan {
  readonly dry_run: true;
  readonly roots: readonly string[];
  readonly new: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: number;
  readonly gone: readonly string[];
  readonly failed: readonly Failure[];
}

/** Adds up what the loads of several roots came to. */
export class SyncCounts {
  new = 0;
  changed = 0;
  unchanged = 0;
  deleted = 0;
  chunks = 0;
  readonly failed: Failure[] = [];

  add(load: LoadSummary): void {
    this.new += load.new;
    this.changed += load.changed;
    this.unchanged += load.unchanged;
    this.chunks += load.chunks;
    this.failed.push(...load.failed);
  }
}
