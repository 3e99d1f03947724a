import { bm25Weight, countTerms } from '../../../domain/lexical/bm25.js';

/**
 * The length, in terms, that BM25 takes for the average, as Qdrant knows none of its own: English prose has 0.44 terms to
 * a token, and chunks of at most 512 tokens are filled by some 70 %. It is in every stored weight, so it is never edited.
 */
export const averageLength = 160;

/** As Qdrant wants a sparse vector: each index once. */
export interface SparseVector {
  readonly indices: number[];
  readonly values: number[];
}

/**
 * The terms of a chunk with their BM25 weights, to which Qdrant multiplies the idf of the query's terms. Two terms with
 * one id count as one that occurs as often as both.
 */
export function weightedTerms(terms: readonly string[]): SparseVector {
  const occurrences = new Map<number, number>();
  for (const [term, count] of countTerms(terms)) {
    const id = termId(term);
    occurrences.set(id, (occurrences.get(id) ?? 0) + count);
  }
  return {
    indices: [...occurrences.keys()],
    values: [...occurrences.values()].map((count) => Math.fround(bm25Weight(count, terms.length, averageLength))),
  };
}

/** The unique terms of a query. */
export function queriedTerms(terms: readonly string[]): SparseVector {
  const indices = [...new Set(terms.map(termId))];
  return { indices, values: indices.map(() => 1) };
}

/**
 * A term's dimension: FNV-1a of its UTF-8 bytes, 32 bits, finished as in MurmurHash3 so that short terms spread over all
 * of them. Among a million different terms, one given term shares its id with another in 1 of 4,300 cases.
 */
export function termId(term: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(term)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
