import type { Table } from '@lancedb/lancedb';
import type { WriteQueue } from './write-queue.js';

/** Rows outside the full-text index are found by scanning them, with statistics of their own: bring them in when … */
const quietMs = 500; // … writing has paused, so that scores are exact at rest,
const minPendingRows = 2000; // … or they have become many,
const pendingShare = 0.1; // … as a share of the table: indexing costs as much as the table is long.
/** At most a fifth of the time goes into upkeep. */
const restFactor = 4;
/** Older versions of a table go; no search takes so long that it would still read one. */
const keepVersionsMs = 60_000;

/** One upkeep at a time in the process: each can keep all cores busy. */
let lane: Promise<void> = Promise.resolve();

/** Brings a scope's full-text index up to date and compacts its tables, through its write queue, in the background. */
export class Upkeep {
  #pendingRows = 0;
  #timer: NodeJS.Timeout | undefined;
  #notBefore = 0;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(
    private readonly queue: WriteQueue,
    private readonly terms: Table,
    private readonly termIndex: string,
    /** Compacts and indexes the vectors, if that is due. */
    private readonly maintainVectors: (cleanupOlderThan: Date) => Promise<void>,
  ) {}

  changed(rows: number): void {
    this.#pendingRows += rows;
    if (this.#stopped || this.#running !== undefined) return;
    const many = this.#pendingRows >= this.#threshold;
    this.#schedule(many ? 0 : quietMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #threshold = minPendingRows;

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    const delay = Math.max(delayMs, this.#notBefore - Date.now());
    this.#timer = setTimeout(() => {
      this.#running = this.#runOnce().finally(() => {
        this.#running = undefined;
        if (this.#pendingRows > 0 && !this.#stopped) this.#schedule(quietMs);
      });
    }, delay);
    this.#timer.unref();
  }

  async #runOnce(): Promise<void> {
    const turn = lane.then(() => (this.#stopped ? undefined : this.queue.run(() => this.#perform())));
    lane = turn.catch(() => undefined);
    // Searches stay right without it, and the next change tries again.
    await turn.catch(() => undefined);
  }

  async #perform(): Promise<void> {
    const begun = Date.now();
    const pending = this.#pendingRows;
    const cleanupOlderThan = new Date(begun - keepVersionsMs);
    try {
      await this.terms.optimize({ cleanupOlderThan });
      this.#pendingRows -= pending;
      const { numIndexedRows = 0 } = (await this.terms.indexStats(this.termIndex)) ?? {};
      this.#threshold = Math.max(minPendingRows, numIndexedRows * pendingShare);
      await this.maintainVectors(cleanupOlderThan);
    } finally {
      this.#notBefore = Date.now() + restFactor * (Date.now() - begun);
    }
  }
}
