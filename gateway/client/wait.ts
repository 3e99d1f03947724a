import { SluiceApiError } from './error.js';
import type { WaitOptions } from './options.js';
import { isTransient, pause, retryDelayMs } from './retry.js';
import { part, type Transport } from './transport.js';
import type { Operation } from './types.js';

const longestPollSeconds = 20;

/** Waits until an operation has ended. The server is asked again and again, so that its restart loses nothing. */
export async function waitForOperation(
  transport: Transport,
  reconnectMs: number,
  operationId: string,
  { signal, timeoutMs = Infinity }: WaitOptions,
): Promise<Operation> {
  const deadline = Date.now() + timeoutMs;
  let lostSince: number | undefined;
  for (let failures = 0; ;) {
    const remainingMs = deadline - Date.now();
    if (remainingMs <= 0) throw timedOut(operationId, timeoutMs);
    try {
      const operation = await transport.json<Operation>({
        method: 'GET',
        path: `/operations/${part(operationId)}`,
        query: { wait: Math.min(longestPollSeconds, Math.max(1, Math.ceil(remainingMs / 1_000))) },
        signal,
        timeoutMs: Math.min(remainingMs, 2 * longestPollSeconds * 1_000),
      });
      if (operation.state !== 'accepted') return operation;
      lostSince = undefined;
      failures = 0;
    } catch (error) {
      if (!isTransient(error) && !(error instanceof SluiceApiError && error.code === 'deadline-exceeded')) throw error;
      lostSince ??= Date.now();
      if (Date.now() - lostSince >= reconnectMs) throw error;
      await pause(Math.min(retryDelayMs(failures++, error), Math.max(0, deadline - Date.now())), signal);
    }
  }
}

const timedOut = (operationId: string, timeoutMs: number): SluiceApiError =>
  new SluiceApiError(
    'deadline-exceeded',
    0,
    `operation ${operationId} has not ended within ${timeoutMs} ms; it goes on`,
  );
