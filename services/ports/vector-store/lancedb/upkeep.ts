import type { Table } from '@lancedb/lancedb';
import type { WriteQueue } from './write-queue.js';

/** Rows outside the full-text index are found by scanning them, with statistics of their own: bring them in when … */
const quietMs = 200; // … writing has paused, so that scores are exact at rest,
const minPendingRows = 2000; // … or they have become many,
const pendingShare = 0.1; // … as a share of the table: indexing costs as much as the table is long.
/** A search waits for an index that took no longer the last time. */
const quickMs = 100;
/** At most a third of the time goes into upkeep, but half where a search waits for it. */
const restFactor = 2;
/** Older versions of a table go; no search takes so long that it would still read one. */
const keepVersionsMs = 60_000;

/** One upkeep at a time in the process: each can keep all cores busy. */
let lane: Promise<void> = Promise.resolve();
let waiting = 0;

/** Brings a scope's full-text index up to date and compacts its tables, through its write queue, in the background. */
export class Upkeep {
  #pendingRows = 0;
  #timer: NodeJS.Timeout | undefined;
  #threshold = minPendingRows;
  #notBefore = 0;
  #indexedAt = 0;
  #indexingMs = 0;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(
    private readonly queue: WriteQueue,
    private readonly terms: Table,
    private readonly termIndex: string,
    /** Compacts and indexes the vectors, if that is due. */
    private readonly maintainVectors: (due: { cleanupOlderThan: Date; atRest: boolean }) => Promise<void>,
  ) {}

  changed(rows: number): void {
    this.#pendingRows += rows;
    if (this.#stopped || this.#running !== undefined) return;
    const many = this.#pendingRows >= this.#threshold;
    this.#schedule(many ? 0 : quietMs);
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  /** Brings the index up to date before a search when that is quick and nothing is being written. */
  async settle(): Promise<void> {
    if (this.#pendingRows === 0 || this.#stopped || this.#running !== undefined) return;
    if (waiting > 0 || !this.queue.idle) return;
    if (this.#indexingMs > quickMs || Date.now() < this.#indexedAt + this.#indexingMs) return;
    clearTimeout(this.#timer);
    await this.#start(() => this.#index(new Date(Date.now() - keepVersionsMs)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    const delay = Math.max(delayMs, this.#notBefore - Date.now());
    const atRest = delayMs > 0;
    this.#timer = setTimeout(() => void this.#start(() => this.#perform(atRest)), delay);
    this.#timer.unref();
  }

  #start(work: () => Promise<void>): Promise<void> {
    waiting++;
    const turn = lane.then(() => (this.#stopped ? undefined : this.queue.run(work)));
    // Searches stay right without it, and the next change tries again.
    lane = turn.catch(() => undefined);
    this.#running = lane.finally(() => {
      waiting--;
      this.#running = undefined;
      if (this.#pendingRows > 0 && !this.#stopped) this.#schedule(quietMs);
    });
    return this.#running;
  }

  async #perform(atRest: boolean): Promise<void> {
    const begun = Date.now();
    const cleanupOlderThan = new Date(begun - keepVersionsMs);
    try {
      await this.#index(cleanupOlderThan);
      await this.maintainVectors({ cleanupOlderThan, atRest });
    } finally {
      this.#notBefore = Date.now() + restFactor * (Date.now() - begun);
    }
  }

  async #index(cleanupOlderThan: Date): Promise<void> {
    const begun = Date.now();
    const pending = this.#pendingRows;
    try {
      await this.terms.optimize({ cleanupOlderThan });
      this.#pendingRows -= pending;
      const { numIndexedRows = 0 } = (await this.terms.indexStats(this.termIndex)) ?? {};
      this.#threshold = Math.max(minPendingRows, numIndexedRows * pendingShare);
    } finally {
      this.#indexedAt = Date.now();
      this.#indexingMs = this.#indexedAt - begun;
    }
  }
}
