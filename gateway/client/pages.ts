interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Every item of every page, fetched as they are read. */
export async function* pages<T>(fetchPage: (after: { after?: string }) => Promise<Page<T>>): AsyncGenerator<T> {
  for (let after: { after?: string } = {}; ;) {
    const { items, next } = await fetchPage(after);
    yield* items;
    if (next === null) return;
    after = { after: next };
  }
}
