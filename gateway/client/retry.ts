import { setTimeout as sleep } from 'node:timers/promises';
import { SluiceApiError } from './error.js';

const firstDelayMs = 200;
const longestDelayMs = 10_000;

/** Exponential backoff with full jitter; what the server asked for, if it asked. */
export function retryDelayMs(attempt: number, error: unknown): number {
  if (error instanceof SluiceApiError && error.retryAfterMs !== undefined) {
    return Math.min(error.retryAfterMs, 3 * longestDelayMs);
  }
  return Math.random() * Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
}

/** Whether the same call may succeed later: the server is away, starting, or says that something it needs is. */
export const isTransient = (error: unknown): boolean =>
  error instanceof SluiceApiError && (error.code === 'unreachable' || error.status === 503 || error.status === 429);

/** Repeats what fails transiently, at most `maxRetries` times. */
export async function withRetries<T>(
  maxRetries: number,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (failures >= maxRetries || !isTransient(error)) throw error;
      await pause(retryDelayMs(failures, error), signal);
    }
  }
}

/** Waits; an aborted signal ends it with the signal's own reason. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
