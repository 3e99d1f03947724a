/** Values that wait for one reader. The writer never waits: when the reader is too slow, the queue ends with an error. */
export class BoundedQueue<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(
    private readonly limit: number,
    private readonly overflow: () => Error,
  ) {}

  push(item: T): void {
    if (this.#end !== undefined) return;
    if (this.#items.length >= this.limit) {
      this.#items.length = 0;
      this.fail(this.overflow());
      return;
    }
    this.#items.push(item);
    this.#wake?.();
  }

  /** Ends the queue after what is in it. */
  end(): void {
    this.#end ??= {};
    this.#wake?.();
  }

  /** Ends the queue after what is in it with an error. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) yield item;
      else if (this.#end === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        this.#wake = undefined;
      } else if ('error' in this.#end) throw this.#end.error;
      else return;
    }
  }
}
