/**
 * Why a handler's work is no longer wanted. `revoked` and `stopping` leave the message to whoever gets the partition
 * next; after `cancelled` and `deadline` nobody wants it any more.
 */
export type EndReason = 'revoked' | 'stopping' | 'cancelled' | 'deadline';

/** The reason of an aborted handler signal. */
export class HandlingEnded extends Error {
  override readonly name = 'HandlingEnded';

  constructor(readonly ending: EndReason) {
    super(`handling ended: ${ending}`);
  }
}

/** Why `signal` was aborted, or undefined while it is not. */
export const endingOf = (signal: AbortSignal): EndReason | undefined =>
  signal.aborted ? (signal.reason instanceof HandlingEnded ? signal.reason.ending : 'stopping') : undefined;

/**
 * Resolves or rejects as `work` does. Once the signal is aborted, work that takes longer than `afterMs` is abandoned:
 * the promise rejects and whatever the work comes to is discarded, a late rejection too.
 */
export function abandonable<T>(work: Promise<T>, signal: AbortSignal, afterMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => {
        reject(new HandlingEnded(endingOf(signal) ?? 'stopping'));
      }, afterMs);
    };
    const settled = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        // What is passed on is whatever was thrown, even if that is no Error.
        reject(error);
      },
    );
  });
}

/** Waits, or rejects with the signal's reason when it is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(new HandlingEnded(endingOf(signal) ?? 'stopping'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
