import type { Logger } from 'pino';
import type { Consumer } from '../../ports/bus/port.js';
import { crashPoint } from '../crash-points.js';
import type { PartitionProgress } from './partition-progress.js';
import { asError } from './thrown.js';

interface CommitterOptions {
  readonly processor: string;
  readonly intervalMs: number;
  readonly log: Logger;
  consumer(): Consumer | undefined;
  /** Offsets of the partition have been committed. */
  committed(progress: PartitionProgress): void;
}

/** Commits finished offsets, many at a time. */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #due = new Set<PartitionProgress>();
  readonly #crashPoint: string;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#crashPoint = `${options.processor}.before-offset-commit`;
  }

  /** The partition may have something to commit. */
  schedule(progress: PartitionProgress): void {
    this.#due.add(progress);
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.intervalMs);
  }

  /** Resolves when everything that can be committed is, or has failed; what failed is due again. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#commitDue());
    return this.#flushing;
  }

  async #commitDue(): Promise<void> {
    const due = [...this.#due];
    this.#due.clear();
    await Promise.all(due.map((progress) => this.#commit(progress)));
  }

  async #commit(progress: PartitionProgress): Promise<void> {
    const { log, consumer, committed } = this.#options;
    const nextOffset = progress.committable();
    if (nextOffset === undefined) return;
    try {
      crashPoint(this.#crashPoint);
      await consumer()?.commit(progress, nextOffset);
      progress.committed(nextOffset);
      committed(progress);
    } catch (error) {
      log.warn({ err: asError(error), topic: progress.topic, partition: progress.partition }, 'a commit failed');
      if (!progress.revoked) this.schedule(progress);
    }
  }
}
