/**
 * Where vectors can be compared: one model, one width, one way of encoding documents and queries.
 * Two spaces are the same when their ids are.
 */
export interface EmbeddingSpace {
  readonly id: string;
  readonly model: string;
  /** The length of every vector. */
  readonly dimensions: number;
}

export const sameSpace = (a: EmbeddingSpace, b: EmbeddingSpace): boolean => a.id === b.id;

/** `minilm/384`, for messages that people read. */
export const describeSpace = (space: EmbeddingSpace): string => `${space.model}/${space.dimensions} (${space.id})`;
