import type { Point } from '../port.js';

/** So many points are merged at once: a second's worth of work for the engine, some 16 MB of vectors. */
const maxMergedPoints = 4096;

interface Job {
  /** Undefined: a task that runs alone. */
  readonly points?: readonly Point[];
  run(): Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * The one writer of a scope's tables: two commits at once would conflict. Upserts that wait while another runs are
 * merged into one commit, so that many small documents cost few of them.
 */
export class WriteQueue {
  readonly #jobs: Job[] = [];
  #running: Promise<void> | undefined;

  constructor(private readonly merge: (points: readonly Point[]) => Promise<void>) {}

  upsert(points: readonly Point[]): Promise<void> {
    return this.#add(() => this.merge(points), points);
  }

  /** Runs when everything queued before is done, and nothing runs beside it. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    const done: { value?: T } = {};
    await this.#add(async () => {
      done.value = await task();
    });
    return done.value as T;
  }

  get idle(): boolean {
    return this.#running === undefined;
  }

  /** Resolves when nothing is queued. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #add(run: () => Promise<void>, points?: readonly Point[]): Promise<void> {
    const added = new Promise<void>((resolve, reject) => {
      this.#jobs.push(points === undefined ? { run, resolve, reject } : { points, run, resolve, reject });
    });
    this.#running ??= this.#drain();
    return added;
  }

  async #drain(): Promise<void> {
    await Promise.resolve(); // upserts made in the same turn are merged too
    for (let jobs = this.#next(); jobs.length > 0; jobs = this.#next()) await this.#perform(jobs);
    this.#running = undefined;
  }

  /** The first task alone, or the run of upserts at the head as far as they fit one merge. */
  #next(): readonly Job[] {
    let points = 0;
    let count = 0;
    for (const job of this.#jobs) {
      if (job.points === undefined) break;
      points += job.points.length;
      if (count > 0 && points > maxMergedPoints) break;
      count++;
    }
    return this.#jobs.splice(0, Math.max(1, count));
  }

  async #perform(jobs: readonly Job[]): Promise<void> {
    const [first, second] = jobs;
    if (first === undefined) return;
    if (second === undefined) return settle(first, first.run());
    try {
      await this.merge(jobs.flatMap(({ points }) => points ?? []));
      for (const job of jobs) job.resolve();
    } catch {
      // Whose points the engine refuses shows when each is written alone.
      for (const job of jobs) await settle(job, job.run());
    }
  }
}

const settle = (job: Job, outcome: Promise<void>): Promise<void> =>
  outcome.then(
    () => job.resolve(),
    (error: unknown) => job.reject(error),
  );
