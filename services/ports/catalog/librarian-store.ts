import type { ChunkerSpec } from '../../domain/chunker-spec.js';
import type { Remaining, RetiredSpace } from '../../domain/collections/conversion.js';
import type { ConvertedState } from '../../domain/collections/convert.js';
import type { DocumentState } from '../../domain/documents/state.js';
import type { Outcome } from '../../domain/documents/decision.js';
import type { DocumentKey } from '../../domain/identity.js';
import type { CollectionRecord } from './port.js';

export interface CollectionKey {
  readonly workspace: string;
  readonly collection: string;
}

/** An output as it is stored beside the command that caused it, to be published again if the command comes again. */
export interface StoredOutput {
  readonly topic: string;
  readonly value: unknown;
}

/** What a batch of commands touches. */
export interface ChangeRequest {
  readonly documents: readonly DocumentKey[];
  readonly collections: readonly CollectionKey[];
  /** UUIDs of the commands. */
  readonly commands: readonly string[];
  /** Collections to be walked: the next `limit` documents that have versions, after `after`. */
  readonly pages: readonly PageRequest[];
  /** How many version rows of a collection that is being deleted are worth counting. */
  readonly countVersionsTo: number;
  /** No other batch is to touch documents of these collections meanwhile. */
  readonly exclusive: boolean;
}

export interface PageRequest extends CollectionKey {
  /** Of the command that walks. */
  readonly command: string;
  readonly after: string | null;
  /** Only documents whose newest version is not ready, or whose live one is behind. */
  readonly unsettled: boolean;
  readonly limit: number;
}

export interface LockedCollection {
  readonly record: CollectionRecord;
  readonly deletion: CollectionDeletion | null;
  /** Version rows left, counted up to `countVersionsTo`, of a collection that is being deleted; else null. */
  readonly versionsLeft: number | null;
  /** Live versions that are behind; known if the batch is exclusive. */
  readonly remaining: Remaining;
}

export interface CollectionDeletion {
  /** Those that end with it. */
  readonly operations: readonly string[];
  /** Every document's deletion has been ordered. */
  readonly walked: boolean;
}

export interface DocumentPage {
  readonly documents: readonly { readonly documentId: string; readonly lastVersion: number }[];
  readonly last: boolean;
}

/** What is there, locked until the change is written. */
export interface Loaded {
  /** The catalog's clock after the locks were taken, epoch ms. */
  readonly now: number;
  /** By documentKeyString; documents that never were are left out. */
  readonly documents: ReadonlyMap<string, DocumentState>;
  /** By `<workspace>/<collection>`. */
  readonly collections: ReadonlyMap<string, LockedCollection>;
  /** The outputs of those commands that were handled before. */
  readonly handled: ReadonlyMap<string, readonly StoredOutput[]>;
  /** By the command that walks. */
  readonly pages: ReadonlyMap<string, DocumentPage>;
}

export type CollectionChange = CollectionKey &
  (
    | { readonly change: 'delete'; readonly deletion: CollectionDeletion }
    | { readonly change: 'remove' }
    | { readonly change: 'convert'; readonly state: ConvertedState; readonly marks: readonly ConversionMark[] }
  );

/** Live versions of these documents are behind: not in this space, whatever was known of it, or not of this spec. */
export type ConversionMark = { readonly documentIds: readonly string[] } & (
  { readonly space: string } | { readonly spec: ChunkerSpec }
);

/** A space whose points are due to be purged. */
export interface RetiredSpaceOf extends CollectionKey {
  readonly retired: RetiredSpace;
}

/** What becomes of it, written in one transaction. */
export interface Change<T> {
  readonly documents: readonly DocumentState[];
  readonly collections: readonly CollectionChange[];
  /** In order: of two outcomes of one operation the last stands. */
  readonly outcomes: readonly (DocumentKey & { readonly kind: string; readonly outcome: Outcome })[];
  readonly handled: readonly { readonly command: string; readonly outputs: readonly StoredOutput[] }[];
  readonly result: T;
}

/** A version that a sweep has taken on: no other sweep takes it until the lease ends. */
export interface ClaimedVersion extends DocumentKey {
  readonly version: number;
  readonly versionHash: string;
  /** The document's. */
  readonly seq: number;
  readonly redrives: number;
}

export interface ClaimRequest {
  /** Only versions of which nothing was heard since. */
  readonly before: Date;
  readonly limit: number;
  /** Only of this workspace; absent: of all. */
  readonly workspace?: string;
  /** 0: nothing is claimed, only looked at. */
  readonly leaseMs: number;
}

/** One walk along the topics; see services/librarian/drain-pass.ts. Offsets are decimal strings. */
export interface DrainPass {
  readonly number: number;
  readonly startedAt: Date;
  readonly step: number;
  readonly stepStartedAt: Date;
  /** The end offsets to be reached, by partition; null: not yet noted. */
  readonly ends: readonly string[] | null;
  readonly ended: boolean;
  /** When the last pass that has ended began. */
  readonly lastStartedAt: Date | null;
}

/** How a pass moves on. Times are the catalog's. */
export type DrainStep =
  | { readonly move: 'start' }
  | { readonly move: 'note'; readonly ends: readonly string[] }
  | { readonly move: 'next' }
  | { readonly move: 'end' };

/** The librarian's own side of the catalog: the one writer of documents and versions. */
export interface LibrarianStore {
  /**
   * Locks what a batch touches, shows it to `decide`, and writes what it says, all in one transaction. `decide` is
   * called once and must not wait for anything.
   */
  change<T>(request: ChangeRequest, decide: (loaded: Loaded) => Change<T>): Promise<T>;

  /** Of these uploads, those that a version refers to; `except` these versions, by hash. */
  referencedUploads(
    uploads: readonly { readonly workspace: string; readonly uploadId: string }[],
    except?: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /** Versions in flight and silent, oldest first. */
  claimSilent(request: ClaimRequest): Promise<readonly ClaimedVersion[]>;
  /** Live versions that wait in a conversion of their collection, and silent, oldest first. */
  claimSilentBehind(request: ClaimRequest): Promise<readonly ClaimedVersion[]>;
  /** Superseded versions whose swap is older than `before`. */
  claimPurgeDue(request: ClaimRequest): Promise<readonly ClaimedVersion[]>;
  /** Versions whose purge began before `before` and has not ended. */
  claimUnpurged(request: ClaimRequest): Promise<readonly ClaimedVersion[]>;
  /** Spaces that collections have left and that still hold points. */
  retiredSpaces(): Promise<readonly RetiredSpaceOf[]>;
  drainPass(): Promise<DrainPass | undefined>;
  /** Moves the pass on from what was seen; undefined if somebody else has moved it meanwhile. */
  moveDrainPass(seen: DrainPass | undefined, step: DrainStep): Promise<DrainPass | undefined>;
  /** All workspaces that ever had a collection. */
  workspaces(): Promise<readonly string[]>;
  /** Forgets handled commands and ended operations older than `before`, at most `limit` of each. */
  prune(before: Date, limit: number): Promise<void>;
}

/** The key of an upload in the answer of referencedUploads. */
export const uploadKey = (workspace: string, uploadId: string): string => `${workspace}/${uploadId}`;
