import { SluiceError } from '../../../domain/errors.js';

export interface BatchOptions<T> {
  /** How many batches are under way at once. */
  readonly streams: number;
  readonly maxItems: number;
  readonly maxBytes: number;
  bytesOf(item: T): number;
  run(items: readonly T[]): Promise<void>;
}

/** What one caller waits for. */
interface Job {
  open: number;
  failed: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

interface Queued<T> {
  readonly item: T;
  readonly bytes: number;
  readonly job: Job;
}

/**
 * Items of many callers, run in batches that are full before they are many. Each caller hears of its own items only: when
 * a batch is refused, its halves are tried, down to one caller's items.
 */
export class Batches<T> {
  readonly #queue: Queued<T>[] = [];
  #running = 0;
  #scheduled = false;

  constructor(private readonly options: BatchOptions<T>) {}

  /** Resolves when all of the items are done. */
  submit(items: readonly T[]): Promise<void> {
    if (items.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const job: Job = { open: items.length, failed: false, resolve, reject };
      for (const item of items) this.#queue.push({ item, bytes: this.options.bytesOf(item), job });
      this.#schedule();
    });
  }

  /** After what else is submitted now. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#running < this.options.streams && this.#queue.length > 0) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#running++;
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) await this.#attempt(batch);
    this.#running--;
  }

  #take(): readonly Queued<T>[] {
    const batch: Queued<T>[] = [];
    let bytes = 0;
    let taken = 0;
    for (const queued of this.#queue) {
      const fits = batch.length < this.options.maxItems && bytes + queued.bytes <= this.options.maxBytes;
      if (!queued.job.failed) {
        if (!fits && batch.length > 0) break;
        batch.push(queued);
        bytes += queued.bytes;
      }
      taken++;
    }
    this.#queue.splice(0, taken);
    return batch;
  }

  async #attempt(batch: readonly Queued<T>[]): Promise<void> {
    try {
      await this.options.run(batch.map(({ item }) => item));
    } catch (error) {
      const jobs = [...new Set(batch.map(({ job }) => job))];
      if (jobs.length === 1 || isOutage(error)) {
        fail(jobs, error);
        return;
      }
      const half = new Set(jobs.slice(0, jobs.length / 2));
      await this.#attempt(batch.filter(({ job }) => half.has(job)));
      await this.#attempt(batch.filter(({ job }) => !half.has(job)));
      return;
    }
    for (const { job } of batch) if (--job.open === 0) job.resolve();
  }
}

function fail(jobs: readonly Job[], error: unknown): void {
  for (const job of jobs) {
    job.failed = true;
    job.reject(error);
  }
}

const isOutage = (error: unknown): boolean => error instanceof SluiceError && error.class === 'unavailable';
