import type { Attributes } from '../../domain/attributes.js';
import type { EmbeddingSpace } from '../../domain/embedding-space.js';
import type { Filter } from '../../domain/filter/filter.js';
import type { LexicalAnalysis } from '../../domain/lexical-analysis.js';

/** Where points stand: nothing is shared between two scopes. */
export interface VectorScope {
  readonly workspace: string;
  readonly collection: string;
  readonly space: EmbeddingSpace;
  readonly lexical: LexicalAnalysis;
}

/** What a store holds of one chunk: ids, vector, terms and what filters ask for; never the text. */
export interface Point {
  readonly pointId: string;
  readonly chunkId: string;
  readonly documentId: string;
  /** Absent for imported points. */
  readonly versionHash?: string;
  readonly seq: number;
  readonly source: string;
  /** Unit length or not; cosine is the measure. */
  readonly vector: Float32Array;
  /** Terms of the embedded text in order, repetitions kept. */
  readonly terms: readonly string[];
  readonly attributes: Attributes;
  readonly importId?: string;
  /** Imported points: the collection's generation. */
  readonly generation?: number;
}

export interface ScoredPoint {
  readonly chunkId: string;
  readonly documentId: string;
  readonly versionHash?: string;
  readonly seq: number;
  readonly source: string;
  /** Cosine in [-1, 1], or BM25 (≥ 0). */
  readonly score: number;
  readonly vector?: Float32Array;
}

export interface SearchOptions {
  readonly limit: number;
  /** Applied before the top is cut. */
  readonly filter?: Filter;
  /** Whether hits bring their vectors (MMR needs them). */
  readonly withVectors?: boolean;
  readonly signal?: AbortSignal;
}

export type PointSelector =
  | { readonly versionHash: string }
  | { readonly pointIds: readonly string[] }
  | { readonly importId: string }
  | { readonly all: true };

/**
 * Vectors and lexical terms, searched within one scope. Writes are durable and visible when they resolve. Errors:
 * SluiceError `unavailable`, `unsupported-mode`, `unsupported` (a filter the store cannot express), `space-mismatch`
 * (a vector of another width; nothing of the batch is written).
 */
export interface VectorStore {
  /** Inserts or replaces by point id. */
  upsert(scope: VectorScope, points: readonly Point[]): Promise<void>;
  /** Nearest by cosine, best first, ties by chunk id in byte order. */
  searchVector(scope: VectorScope, vector: Float32Array, options: SearchOptions): Promise<readonly ScoredPoint[]>;
  /** Best by BM25 over the union of unique terms, best first; only points that hold at least one term. */
  searchTerms(scope: VectorScope, terms: readonly string[], options: SearchOptions): Promise<readonly ScoredPoint[]>;
  /** The vectors of these points, by chunk id; unknown ones are left out. */
  vectors(scope: VectorScope, chunkIds: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Replaces the attributes of every point of a version. */
  setAttributes(scope: VectorScope, versionHash: string, attributes: Attributes): Promise<void>;
  delete(scope: VectorScope, selector: PointSelector): Promise<void>;
  count(scope: VectorScope, selector?: PointSelector): Promise<number>;
  /** Every point id of the scope with its version hash, in no order. */
  scan(
    scope: VectorScope,
  ): AsyncIterable<{ readonly pointId: string; readonly chunkId: string; readonly versionHash?: string }>;
  /** The installation this store was marked with, or undefined when it is new. */
  installationId(): Promise<string | undefined>;
  markInstallation(id: string): Promise<void>;
  close(): Promise<void>;
}
