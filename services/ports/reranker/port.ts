/** Scores how well each text answers a query, higher is better; one score per text, in order. */
export interface Reranker {
  readonly name: string;
  rerank(query: string, texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]>;
}
