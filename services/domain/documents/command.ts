import type { Attributes } from '../attributes.js';

/** A caller's document, whose bytes are in the blob store. */
export interface Submit {
  readonly kind: 'submit';
  readonly operation: string;
  readonly uploadId: string;
  /** Lowercase hex sha256 of the raw bytes. */
  readonly contentHash: string;
  readonly sizeBytes: number;
  readonly title: string | null;
  readonly source: string | null;
  readonly contentType: string | null;
  readonly attributes: Attributes;
  readonly tags: readonly string[];
  readonly fileTime: number | null;
  readonly flow: string;
  /** A new version even if nothing changed. */
  readonly force: boolean;
}

export interface Decoded {
  readonly kind: 'decoded';
  readonly version: number;
  readonly textSha256: string;
  readonly textBytes: number;
  readonly contentType: string | null;
  readonly title: string | null;
  /** From front matter. */
  readonly attributes: Attributes;
}

export interface Indexed {
  readonly kind: 'indexed';
  readonly version: number;
  readonly space: string;
  readonly pack: number;
  /** The attribute revision that the points carry; null if the writer did not say. */
  readonly revision: number | null;
  /** Chunks of the pack that the space's model takes in several windows only. */
  readonly windowed?: number | null;
}

export interface Failed {
  readonly kind: 'failed';
  readonly version: number;
  /** In which space, where that is known. */
  readonly space?: string | null;
  readonly stage: string | null;
  readonly code: string | null;
  readonly reason: string | null;
}

export interface Chunked {
  readonly kind: 'chunked';
  readonly version: number;
  readonly packs: number;
  readonly chunks: number;
  /** The spaces for which every pack was sent to be embedded; absent: the collection's only one. */
  readonly spaces?: readonly string[] | null;
}

/** What happens to one document, in the order of its key. */
export type Command =
  | Submit
  | Decoded
  | Indexed
  | Failed
  | Chunked
  /** Covers the versions up to `upTo`, or all that there are. */
  | { readonly kind: 'delete'; readonly operation: string | null; readonly upTo: number | null }
  /** Of the version given, or of the newest. */
  | { readonly kind: 'retry'; readonly operation: string; readonly version: number | null }
  /** A submit that could not be handled at all. */
  | {
      readonly kind: 'submit-failed';
      readonly operation: string;
      readonly uploadId: string | null;
      readonly code: string;
      readonly reason: string;
    }
  /** Nothing was heard of the version since the document's `seq`. */
  | { readonly kind: 'stalled'; readonly version: number; readonly seq: number }
  /** The collection goes on after a pause. */
  | { readonly kind: 'resumed'; readonly version: number; readonly seq: number }
  | { readonly kind: 'purge-due'; readonly version: number }
  /** The version's points are gone; with its blobs gone too, its row may go. */
  | { readonly kind: 'purged'; readonly version: number }
  /** Its collection is being reindexed, or was. */
  | { readonly kind: 'reindex' }
  /** Its collection has another chunker spec. */
  | { readonly kind: 'rechunk' }
  | { readonly kind: 'payload-updated'; readonly version: number; readonly revision: number };

export type CommandOf<K extends Command['kind']> = Extract<Command, { readonly kind: K }>;
