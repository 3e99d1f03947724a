/** Okapi BM25's term saturation and length normalisation, the values of Lucene. */
const bm25Parameters = { k1: 1.2, b: 0.75 } as const;

/**
 * What a term adds to a document's score, without its idf: tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average)).
 * `length` and `averageLength` are in terms.
 */
export function bm25Weight(occurrences: number, length: number, averageLength: number): number {
  const { k1, b } = bm25Parameters;
  return (occurrences * (k1 + 1)) / (occurrences + k1 * (1 - b + (b * length) / averageLength));
}

/**
 * BM25 of every document for a query, over the union of the query's unique terms, with
 * idf = ln(1 + (N − df + 0.5) / (df + 0.5)) (Robertson and Zaragoza 2009, the variant that is never negative). Scores in
 * the documents' order; 0 where no term occurs. The reference that stores are checked against; `averageLength` is that of
 * the documents, unless a store has a constant instead.
 */
export function bm25(
  query: readonly string[],
  documents: readonly (readonly string[])[],
  averageLength = meanLength(documents),
): number[] {
  const counts = documents.map(countTerms);
  const scores = new Array<number>(documents.length).fill(0);
  for (const term of new Set(query)) {
    const frequency = counts.filter((count) => count.has(term)).length;
    const idf = Math.log(1 + (documents.length - frequency + 0.5) / (frequency + 0.5));
    documents.forEach((document, index) => {
      const occurrences = counts[index]?.get(term) ?? 0;
      if (occurrences === 0) return;
      scores[index] = (scores[index] ?? 0) + idf * bm25Weight(occurrences, document.length, averageLength);
    });
  }
  return scores;
}

const meanLength = (documents: readonly (readonly string[])[]): number =>
  documents.reduce((total, document) => total + document.length, 0) / Math.max(1, documents.length);

/** How often each term occurs. */
export function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
