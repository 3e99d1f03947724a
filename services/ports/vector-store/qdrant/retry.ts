import { setTimeout as delay } from 'node:timers/promises';

export interface RetryPolicy {
  readonly maxAttempts: number;
  /** A server that asks for a longer wait is not waited for. */
  readonly maxRetryAfterMs: number;
}

/** What to do about a failure: `no` ends it, else how long the server asked to wait, if it did. */
export type Verdict = 'no' | { readonly retryAfterMs?: number };

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/**
 * Runs something that may be run again until it succeeds, fails for good, or was tried often enough; the last error is
 * thrown. Waits double from 0.1 s to 5 s, with a random part so that many do not come back at once, and are never shorter
 * than what the server asked for.
 */
export async function retried<T>(
  attempt: () => Promise<T>,
  judge: (error: unknown) => Verdict,
  { maxAttempts, maxRetryAfterMs }: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const verdict = judge(error);
      if (verdict === 'no' || tried >= maxAttempts || (verdict.retryAfterMs ?? 0) > maxRetryAfterMs) throw error;
      const backoff = Math.min(longestWaitMs, firstWaitMs * 2 ** (tried - 1)) * (0.5 + Math.random() / 2);
      await delay(
        Math.max(backoff, verdict.retryAfterMs ?? 0),
        undefined,
        signal === undefined ? {} : { signal },
      ).catch(() => undefined);
    }
  }
}
