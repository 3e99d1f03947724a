import { setTimeout as delay } from 'node:timers/promises';
import { S3Error } from './s3-error.js';

const firstWaitMs = 200;
const longestWaitMs = 10_000;
const longestRetryAfterMs = 30_000;

/**
 * Runs `attempt` until it succeeds, fails for good, or has failed `maxAttempts` times for reasons that may pass.
 * Exponential backoff with full jitter; a server's Retry-After is waited for up to 30 s, and longer ones are left to
 * the caller. An abort ends the waiting, and is thrown.
 */
export async function retrying<T>(
  maxAttempts: number,
  signal: AbortSignal | undefined,
  attempt: (round: number) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await attempt(round);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof S3Error) || !error.transient || round >= maxAttempts) throw error;
      const { retryAfterMs = 0 } = error.options;
      if (retryAfterMs > longestRetryAfterMs) throw error;
      await waitBeforeRetry(round, retryAfterMs, signal);
    }
  }
}

/** Waits as after the `round`-th failure in a row. */
export async function waitBeforeRetry(round: number, atLeastMs: number, signal?: AbortSignal): Promise<void> {
  const backoffMs = Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (round - 1));
  await delay(Math.max(backoffMs, atLeastMs), undefined, { ...(signal && { signal }) }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}
