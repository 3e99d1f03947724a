interface PendingWrite {
  readonly bytes: number;
  apply(): void;
  settle(committed: boolean): void;
  resolve(): void;
  reject(error: unknown): void;
}

const maxBatchBytes = 32 * 1024 * 1024;

/**
 * Gathers writes while a commit is under way and commits them together next: however many publish at once, there is
 * one flush for all of them. Commits never overlap, so what a failed one assigned can be taken back.
 */
export class GroupCommit {
  readonly #commit: (apply: () => void) => Promise<void>;
  #queue: PendingWrite[] = [];
  #running: Promise<void> | undefined;

  /** `commit` runs the given function within one transaction and resolves when that is durable. */
  constructor(commit: (apply: () => void) => Promise<void>) {
    this.#commit = commit;
  }

  /**
   * Resolves when what `apply` writes is durable; `bytes` is about how much that is. `settle` hears the outcome before
   * any later write is applied.
   */
  write(bytes: number, apply: () => void, settle: (committed: boolean) => void = () => undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ bytes, apply, settle, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything written so far is durable or has failed. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Whoever writes in the same turn joins the first batch.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#take();
      try {
        await this.#commit(() => {
          for (const write of batch) write.apply();
        });
      } catch (error) {
        for (const write of batch) write.settle(false);
        for (const write of batch) write.reject(error);
        continue;
      }
      for (const write of batch) write.settle(true);
      for (const write of batch) write.resolve();
    }
    this.#running = undefined;
  }

  #take(): readonly PendingWrite[] {
    let bytes = 0;
    let count = 0;
    for (const write of this.#queue) {
      if (count > 0 && bytes + write.bytes > maxBatchBytes) break;
      bytes += write.bytes;
      count++;
    }
    return this.#queue.splice(0, count);
  }
}
