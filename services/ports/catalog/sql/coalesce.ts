/**
 * Joins calls that come while an earlier one is under way: they share the next. One connection answers a hundred
 * callers in one statement, and a lone caller waits for nobody. `run` answers all inputs by a function of each.
 */
export function coalesce<I, O>(run: (inputs: readonly I[]) => Promise<(input: I) => O>): (input: I) => Promise<O> {
  interface Waiter {
    readonly input: I;
    resolve(output: O): void;
    reject(error: unknown): void;
  }
  let waiting: Waiter[] = [];
  let busy = false;

  const drain = async (): Promise<void> => {
    busy = true;
    // Calls made in the same turn of the event loop go together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const answer = await run(batch.map((waiter) => waiter.input));
        for (const waiter of batch) waiter.resolve(answer(waiter.input));
      } catch (error) {
        for (const waiter of batch) waiter.reject(error);
      }
    }
    busy = false;
  };

  return (input) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (!busy) void drain();
    });
}
