/** A passage of the context, as the model sees it. */
export interface Passage {
  /** 1, 2, 3 …: what `[n]` in the answer refers to. */
  readonly marker: number;
  readonly text: string;
  readonly headingPath: readonly string[];
  readonly source: string;
}

export interface GenerationRequest {
  /** Instructions that documents cannot override. */
  readonly system: string;
  /** The whole rendered prompt: fenced context and question. */
  readonly prompt: string;
  /** The same in parts, for models that do not read prompts. */
  readonly question: string;
  readonly passages: readonly Passage[];
  /** What the instructions tell the model to say when the passages do not answer: how a prompted model says so. */
  readonly notFoundText?: string;
  readonly maxOutputTokens?: number;
  readonly signal?: AbortSignal;
}

export type GenerationPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'end';
      readonly finishReason: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** False: the model says that the passages do not answer the question. */
      readonly found: boolean;
    };

/**
 * Questions and passages to an answer that marks its sources with `[n]`. Exactly one `end`, last; a stream that is cut
 * upstream throws SluiceError `answer-interrupted`. Other errors: `unavailable`, `unsupported`.
 */
export interface LanguageModel {
  readonly name: string;
  /** Tokens of prompt and answer together. */
  readonly contextWindow: number;
  countTokens(text: string): number;
  generate(request: GenerationRequest): AsyncIterable<GenerationPart>;
  close(): Promise<void>;
}
