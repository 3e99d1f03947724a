/** How a collection's texts are cut. Pinned at creation and compared by equality. */
export interface ChunkerSpec {
  readonly strategy: 'structure' | 'fixed';
  /** The version of the strategy's code: never edited once released, only joined by a new one. */
  readonly version: number;
  /** The most that a chunk may hold, in units of the tokenizer. */
  readonly size: number;
  /** What a window repeats of the one before it; below size. Only window cuts overlap. */
  readonly overlap: number;
  /** `o200k_base` counts model tokens, `words` runs of non-space, `characters` code points. */
  readonly tokenizer: 'o200k_base' | 'words' | 'characters';
  /** Whether the text that is embedded and indexed starts with the chunk's heading path. */
  readonly contextPrefix: boolean;
}

export const defaultChunkerSpec: ChunkerSpec = {
  strategy: 'structure',
  version: 1,
  size: 512,
  overlap: 64,
  tokenizer: 'o200k_base',
  contextPrefix: true,
};

export const sameSpec = (a: ChunkerSpec, b: ChunkerSpec): boolean =>
  a.strategy === b.strategy &&
  a.version === b.version &&
  a.size === b.size &&
  a.overlap === b.overlap &&
  a.tokenizer === b.tokenizer &&
  a.contextPrefix === b.contextPrefix;

/** `structure/1, 512 ± 64 o200k_base, with heading path`, for messages that people read. */
export const describeSpec = (spec: ChunkerSpec): string =>
  `${spec.strategy}/${spec.version}, size ${spec.size}, overlap ${spec.overlap}, ${spec.tokenizer}, ` +
  (spec.contextPrefix ? 'with heading path' : 'without heading path');
