/** A stretch of one document's text: code points, `end` excluded. */
export interface Span {
  readonly document: string;
  readonly start: number;
  readonly end: number;
}

/** The same characters as disjoint spans, by document and start; empty spans are dropped. */
export function union(spans: readonly Span[]): Span[] {
  const ordered = spans
    .filter((span) => span.end > span.start)
    .sort((a, b) => (a.document < b.document ? -1 : a.document > b.document ? 1 : a.start - b.start));
  const joined: Span[] = [];
  for (const span of ordered) {
    const last = joined.at(-1);
    if (last !== undefined && last.document === span.document && span.start <= last.end) {
      joined[joined.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    } else {
      joined.push(span);
    }
  }
  return joined;
}

/** How many characters the spans hold, each counted once. */
export const lengthOf = (spans: readonly Span[]): number =>
  union(spans).reduce((sum, span) => sum + span.end - span.start, 0);

export const overlaps = (a: Span, b: Span): boolean => a.document === b.document && a.start < b.end && b.start < a.end;

/** How many characters stand in both sets of spans. */
export function sharedLength(a: readonly Span[], b: readonly Span[]): number {
  const others = union(b);
  let shared = 0;
  for (const one of union(a)) {
    for (const other of others) {
      if (overlaps(one, other)) shared += Math.min(one.end, other.end) - Math.max(one.start, other.start);
    }
  }
  return shared;
}
