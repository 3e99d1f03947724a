import type { EmbeddingSpace } from '../embedding-space.js';

/**
 * What is being done to every document of a collection: `reindex` embeds their chunks in a second space that takes over
 * for all at once; `rechunk` cuts their texts anew, and each takes over for itself.
 */
export interface Conversion {
  readonly kind: 'reindex' | 'rechunk';
  /** Those that end with it. */
  readonly operations: readonly string[];
  /** Every document that was there at its start is marked as behind, and its work ordered. */
  readonly walked: boolean;
  /** Live versions that failed do not hold the flip of a reindex. */
  readonly skipFailed: boolean;
}

/** A space that a collection has left: its points go when nobody can be reading them any more. */
export interface RetiredSpace {
  readonly space: EmbeddingSpace;
  /** Epoch ms of the catalog's clock. */
  readonly retiredAt: number;
  /** It was the one that answered, so a running search may still read it. */
  readonly wasRead: boolean;
  readonly purgeBegun: boolean;
}

/** Why a live version has not come along with its collection's conversion. */
export interface Behind {
  /** `failed` waits for a retry, and for nothing else. */
  readonly state: 'waiting' | 'failed';
  readonly stage: string | null;
  readonly code: string | null;
  readonly reason: string | null;
}

export const waiting: Behind = { state: 'waiting', stage: null, code: null, reason: null };

/** Whether any live version of a collection is behind. */
export interface Remaining {
  readonly waiting: boolean;
  readonly failed: boolean;
}
