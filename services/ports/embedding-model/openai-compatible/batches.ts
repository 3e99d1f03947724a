export interface BatchLimits {
  readonly maxTexts: number;
  readonly maxTokens: number;
}

/** Texts in runs, in order, each within the limits; a text with too many tokens for a run is one by itself. */
export function batchesOf(
  texts: readonly string[],
  { maxTexts, maxTokens }: BatchLimits,
  countTokens: (text: string) => number,
): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let size = 0;
  for (const text of texts) {
    const tokens = countTokens(text);
    if (batch.length > 0 && (batch.length === maxTexts || size + tokens > maxTokens)) {
      batches.push(batch);
      batch = [];
      size = 0;
    }
    batch.push(text);
    size += tokens;
  }
  return batch.length === 0 ? batches : [...batches, batch];
}
