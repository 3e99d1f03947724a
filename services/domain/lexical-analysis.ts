/** How a collection's texts become terms. Pinned at creation and compared by equality. */
export interface LexicalAnalysis {
  /** The version of the tokenizer's code. */
  readonly version: number;
  /** A Snowball language such as `english`, or `none`: which stems and stop words apply. */
  readonly language: string;
}

export const defaultLexicalAnalysis: LexicalAnalysis = { version: 1, language: 'english' };
