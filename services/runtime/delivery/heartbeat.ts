/** live: the loop has run within the session time-out. ready: it takes part in its group. */
export interface ProcessorHealth {
  readonly live: boolean;
  readonly ready: boolean;
}

/** Notices when the event loop no longer runs; depends on no server. */
export class Heartbeat {
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  #lastBeat = performance.now();
  #stopped = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#timer = setInterval(() => {
      this.#lastBeat = performance.now();
    }, timeoutMs / 10);
    this.#timer.unref();
  }

  live(): boolean {
    return !this.#stopped && performance.now() - this.#lastBeat < this.#timeoutMs;
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }
}
