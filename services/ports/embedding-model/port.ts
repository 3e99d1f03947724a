import type { EmbeddingSpace } from '../../domain/embedding-space.js';

/** How lists are fused when the request does not say. A property of the model: how far its ranking can be trusted. */
export interface FusionDefault {
  readonly method: 'rrf' | 'relative';
  /** 0 to 1: the vector list's share; the lexical list has the rest. */
  readonly denseWeight: number;
}

export interface PassageEmbedding {
  readonly vector: Float32Array;
  /** 1, or how many windows a longer text was embedded in (the vector is their unit-length mean). */
  readonly windows: number;
}

/**
 * Texts to vectors of one space; documents and queries each by their own encoder. Errors: SluiceError `unavailable`,
 * `invalid-response` (wrong width or count, NaN), `invalid-argument` (a text that the model refuses).
 */
export interface EmbeddingModel {
  readonly space: EmbeddingSpace;
  readonly fusion: FusionDefault;
  /** The most texts that one call of `embedPassages` is best given. */
  readonly maxBatch: number;
  /** One result per text, in order. No text is truncated silently. */
  embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<readonly PassageEmbedding[]>;
  /** In how many windows each text would be embedded. Nothing is. */
  windows(texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]>;
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array>;
  close(): Promise<void>;
}

/** The models that configuration names, each with its space. */
export interface EmbeddingModels {
  /** The model that new collections are pinned to. */
  readonly default: EmbeddingModel;
  /** The model of a space; throws SluiceError `space-mismatch` naming the space and the configured ones. */
  ofSpace(spaceId: string): EmbeddingModel;
  readonly all: readonly EmbeddingModel[];
  close(): Promise<void>;
}
