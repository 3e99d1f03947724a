import { setTimeout as delay } from 'node:timers/promises';

export interface ThrottleOptions {
  /** The least time between two texts, unless enough has gathered; 0: none is held back. */
  readonly intervalMs: number;
  /** A text of this many UTF-8 bytes waits no longer. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const timeIsUp = 'time is up';

/**
 * Joins the texts of a stream that come in quick succession: the first goes on at once, later ones when the interval
 * since the last has passed. What has gathered goes on before an error or the end does. Ends with the signal's reason
 * when aborted, even if the stream does not.
 */
export async function* throttle(texts: AsyncIterable<string>, options: ThrottleOptions): AsyncGenerator<string> {
  const { intervalMs, maxBytes, signal } = options;
  const source = texts[Symbol.asyncIterator]();
  const next = (): Promise<IteratorResult<string, unknown>> => {
    const result = untilAborted(source.next(), signal);
    result.catch(() => undefined); // awaited below, maybe only after a yield: it must not count as unhandled until then
    return result;
  };
  let gathered = '';
  let lastAt = -Infinity;
  let coming = next();
  try {
    for (;;) {
      const waitMs = lastAt + intervalMs - performance.now();
      if (gathered !== '' && (waitMs <= 0 || Buffer.byteLength(gathered) >= maxBytes)) {
        const text = gathered;
        gathered = '';
        lastAt = performance.now();
        yield text;
        continue;
      }
      const result = gathered === '' ? await coming : await within(coming, waitMs);
      if (result === timeIsUp) continue;
      if (result.done === true) break;
      gathered += result.value;
      coming = next();
    }
    if (gathered !== '') yield gathered;
  } catch (error) {
    if (gathered !== '' && !signal.aborted) yield gathered;
    throw error;
  } finally {
    const closed = source.return?.().catch(() => undefined);
    if (!signal.aborted) await closed; // an aborted source may never settle
  }
}

async function within<T>(promise: Promise<T>, timeMs: number): Promise<T | typeof timeIsUp> {
  const timer = new AbortController();
  try {
    const timedOut = delay<typeof timeIsUp>(timeMs, timeIsUp, { signal: timer.signal }).catch(
      (): typeof timeIsUp => timeIsUp,
    );
    return await Promise.race([promise, timedOut]);
  } finally {
    timer.abort();
  }
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('the answer is no longer wanted'));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
