/** Okapi BM25's term saturation and length normalisation, the values of Lucene. */
const bm25Parameters = { k1: 1.2, b: 0.75 } as const;

/**
 * BM25 of every document for a query, over the union of the query's unique terms, with
 * idf = ln(1 + (N − df + 0.5) / (df + 0.5)) (Robertson and Zaragoza 2009, the variant that is never negative). Scores in
 * the documents' order; 0 where no term occurs. The reference that stores are checked against.
 */
export function bm25(query: readonly string[], documents: readonly (readonly string[])[]): number[] {
  const { k1, b } = bm25Parameters;
  const counts = documents.map(countTerms);
  const totalLength = documents.reduce((total, document) => total + document.length, 0);
  const averageLength = totalLength / Math.max(1, documents.length);
  const scores = new Array<number>(documents.length).fill(0);
  for (const term of new Set(query)) {
    const frequency = counts.filter((count) => count.has(term)).length;
    const idf = Math.log(1 + (documents.length - frequency + 0.5) / (frequency + 0.5));
    documents.forEach((document, index) => {
      const occurrences = counts[index]?.get(term) ?? 0;
      if (occurrences === 0) return;
      const saturation = occurrences + k1 * (1 - b + (b * document.length) / averageLength);
      scores[index] = (scores[index] ?? 0) + (idf * occurrences * (k1 + 1)) / saturation;
    });
  }
  return scores;
}

/** How often each term occurs. */
export function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
