/** A loaded model: text to the vectors of its tokens. */
export interface Encoder {
  /** The most tokens that one text may have. */
  readonly maxTokens: number;
  /** Tokens of a text as the model is given it, those that begin and end every text among them. */
  countTokens(text: string): number;
  /** The vectors of all tokens, one after the other, each of `dimensions` numbers. */
  encode(text: string): Promise<{ readonly hidden: Float32Array; readonly dimensions: number }>;
}
