import { setTimeout as sleep } from 'node:timers/promises';
import { SluiceApiError } from '../../gateway/client/client.js';

const isAway = (error: unknown): boolean =>
  error instanceof SluiceApiError && (error.code === 'unreachable' || error.code === 'unavailable');

/**
 * Waits for a server that was there and went away, such as for a restart: a call that fails so is made again until
 * `limitMs` have passed without any answer. Before the first answer nothing is waited for.
 */
export class Patience {
  #lastAnswer: number | undefined;
  #told = false;

  constructor(
    private readonly limitMs: number,
    private readonly signal: AbortSignal,
    private readonly onWaiting: () => void,
    private readonly pauseMs = 1_000,
  ) {}

  async with<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await call();
        this.#answered();
        return result;
      } catch (error) {
        if (!isAway(error)) {
          if (error instanceof SluiceApiError) this.#answered();
          throw error;
        }
        if (this.#lastAnswer === undefined || Date.now() - this.#lastAnswer > this.limitMs) throw error;
        if (!this.#told) this.onWaiting();
        this.#told = true;
        await sleep(this.pauseMs, undefined, { signal: this.signal });
      }
    }
  }

  #answered(): void {
    this.#lastAnswer = Date.now();
    this.#told = false;
  }
}
