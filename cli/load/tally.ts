export interface Failure {
  readonly source: string;
  readonly code: string;
  readonly reason: string;
}

/** The documented shape of a load's result in JSON. */
export interface LoadSummary {
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly failed: readonly Failure[];
  /** Chunks made by this load. */
  readonly chunks: number;
  readonly seconds: number;
}

/** How one document's part of a load ended. */
export interface Settlement {
  readonly state: string;
  readonly unchanged: boolean;
  readonly version: number | null;
  readonly replaced: number | null;
  readonly chunkCount: number | null;
  readonly code: string | null;
  readonly reason: string | null;
}

/** Counts how the documents of a load ended. */
export class Tally {
  #new = 0;
  #changed = 0;
  #unchanged = 0;
  #chunks = 0;
  readonly #failed: Failure[] = [];

  unchanged(): void {
    this.#unchanged++;
  }

  fail(source: string, code: string, reason: string): void {
    this.#failed.push({ source, code, reason });
  }

  settle(source: string, end: Settlement): void {
    if (end.unchanged || end.state === 'unchanged') {
      this.#unchanged++;
    } else if (end.state === 'ready') {
      if (end.replaced === null) this.#new++;
      else this.#changed++;
      this.#chunks += end.chunkCount ?? 0;
    } else {
      this.fail(source, end.code ?? end.state, end.reason ?? reasonOf[end.state] ?? `it ended as "${end.state}"`);
    }
  }

  get settled(): number {
    return this.#new + this.#changed + this.#unchanged + this.#failed.length;
  }

  get ready(): number {
    return this.#new + this.#changed;
  }

  get failures(): number {
    return this.#failed.length;
  }

  get chunks(): number {
    return this.#chunks;
  }

  summary(seconds: number): LoadSummary {
    return {
      new: this.#new,
      changed: this.#changed,
      unchanged: this.#unchanged,
      failed: [...this.#failed].sort((a, b) => (a.source < b.source ? -1 : 1)),
      chunks: this.#chunks,
      seconds: Math.round(seconds * 1000) / 1000,
    };
  }
}

const reasonOf: Readonly<Record<string, string>> = {
  stale: 'a newer version of it came meanwhile',
  deleted: 'it was deleted meanwhile',
  refused: 'the server refused it',
};
