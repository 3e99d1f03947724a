/** The items of `source` until `signal` aborts; then its reason is thrown at once, even while the source is silent. */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  if (signal === undefined) {
    yield* source;
    return;
  }
  signal.throwIfAborted();
  const iterator = source[Symbol.asyncIterator]();
  let wake: (() => void) | undefined;
  const stop = (): void => wake?.();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      // One for each item: a promise that lived as long as the source would keep every item that it was raced against.
      const aborted = new Promise<'aborted'>((resolve) => {
        wake = () => {
          resolve('aborted');
        };
      });
      const result = await Promise.race([aborted, iterator.next()]);
      signal.throwIfAborted();
      if (result === 'aborted' || result.done === true) return;
      yield result.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // Not awaited: a source that waits for ever would never answer.
    iterator.return?.().catch(() => undefined);
  }
}
