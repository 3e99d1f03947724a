import type { DocumentState, Version, VersionState } from './state.js';

export type OutcomeState = 'accepted' | 'ready' | 'unchanged' | 'failed' | 'refused' | 'deleted' | 'stale';

/** What became of one operation: what its caller waits for. */
export interface Outcome {
  readonly operation: string;
  readonly state: OutcomeState;
  readonly version: number | null;
  readonly chunkCount: number | null;
  readonly unchanged: boolean;
  /** The version that was live before. */
  readonly replaced: number | null;
  readonly code: string | null;
  readonly reason: string | null;
}

export interface VersionStatus {
  readonly version: number;
  readonly versionHash: string;
  readonly state: VersionState;
  readonly contentHash: string;
  readonly chunks: number | null;
  readonly stage: string | null;
  readonly code: string | null;
  readonly reason: string | null;
}

/** A document's whole status after a change. */
export interface StatusEvent {
  readonly seq: number;
  readonly at: number;
  readonly deleted: boolean;
  readonly live: VersionStatus | null;
  readonly newest: VersionStatus | null;
  readonly operation: Outcome | null;
}

/** What must follow a decision. */
export type Effect =
  /** `textOf`: the hash of a version whose decoded text is this one's, too. */
  | { readonly kind: 'decode'; readonly version: Version; readonly textOf: string | null }
  | { readonly kind: 'chunk'; readonly version: Version }
  | { readonly kind: 'embed'; readonly version: Version; readonly space: string; readonly packs: readonly number[] }
  | { readonly kind: 'update-payload'; readonly version: Version }
  | { readonly kind: 'purge'; readonly version: Version }
  /** The upload's bytes are wanted by nobody, unless another row refers to them. */
  | { readonly kind: 'drop-upload'; readonly uploadId: string }
  | { readonly kind: 'event'; readonly event: StatusEvent };

export interface Decision {
  /** The very same object if nothing changed. */
  readonly state: DocumentState;
  readonly effects: readonly Effect[];
  readonly outcomes: readonly Outcome[];
}
