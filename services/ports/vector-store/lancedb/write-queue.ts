import type { Point } from '../port.js';

/** What is merged into one commit holds so many numbers, 4 MB: the engine keeps several copies while it writes them. */
const maxMergedFloats = 2 ** 20;
const maxMergedDeletions = 256;

export interface Writes {
  /** Inserts or replaces; of two points of one id the later stands. */
  upsert(points: readonly Point[]): Promise<void>;
  /** Removes the rows for which any of the predicates holds. */
  remove(predicates: readonly string[]): Promise<void>;
}

type Work =
  | { readonly kind: 'upsert'; readonly points: readonly Point[] }
  | { readonly kind: 'remove'; readonly predicate: string }
  | { readonly kind: 'task'; run(): Promise<void> };

type Job = Work & { resolve(): void; reject(error: unknown): void };

/**
 * The one writer of a scope's tables: two commits at once would conflict. Upserts that wait while another job runs are
 * merged into one commit, and so are deletions, so that many small documents cost few of them. Order is kept.
 */
export class WriteQueue {
  readonly #jobs: Job[] = [];
  readonly #writes: Writes;
  #running: Promise<void> | undefined;

  constructor(writes: Writes) {
    this.#writes = writes;
  }

  upsert(points: readonly Point[]): Promise<void> {
    return this.#add({ kind: 'upsert', points });
  }

  remove(predicate: string): Promise<void> {
    return this.#add({ kind: 'remove', predicate });
  }

  /** Runs when everything queued before is done, and nothing runs beside it. */
  run(task: () => Promise<void>): Promise<void> {
    return this.#add({ kind: 'task', run: task });
  }

  get idle(): boolean {
    return this.#running === undefined;
  }

  /** Resolves when nothing is queued. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #add(work: Work): Promise<void> {
    const added = new Promise<void>((resolve, reject) => {
      this.#jobs.push({ ...work, resolve, reject });
    });
    this.#running ??= this.#drain();
    return added;
  }

  async #drain(): Promise<void> {
    await Promise.resolve(); // what is asked for in the same turn is merged too
    for (let jobs = this.#next(); jobs.length > 0; jobs = this.#next()) await this.#perform(jobs);
    this.#running = undefined;
  }

  /** The first job, with those of its kind that follow at once, as far as they fit one commit. */
  #next(): readonly Job[] {
    const [first] = this.#jobs;
    let floats = 0;
    let count = 0;
    for (const job of this.#jobs) {
      if (job.kind !== first?.kind || (count > 0 && job.kind === 'task')) break;
      if (job.kind === 'upsert') for (const { vector } of job.points) floats += vector.length;
      if (count > 0 && (floats > maxMergedFloats || (job.kind === 'remove' && count === maxMergedDeletions))) break;
      count++;
    }
    return this.#jobs.splice(0, count);
  }

  async #perform(jobs: readonly Job[]): Promise<void> {
    try {
      await this.#commit(jobs);
      for (const job of jobs) job.resolve();
    } catch (error) {
      const [only, second] = jobs;
      if (second === undefined) only?.reject(error);
      // Which of them the engine refuses shows when each is written alone.
      else for (const job of jobs) await this.#perform([job]);
    }
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    const points = jobs.flatMap((job) => (job.kind === 'upsert' ? job.points : []));
    if (points.length > 0) await this.#writes.upsert(points);
    const predicates = jobs.flatMap((job) => (job.kind === 'remove' ? [job.predicate] : []));
    if (predicates.length > 0) await this.#writes.remove(predicates);
    for (const job of jobs) if (job.kind === 'task') await job.run();
  }
}
