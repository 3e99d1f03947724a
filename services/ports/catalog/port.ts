import type { Attributes } from '../../domain/attributes.js';
import type { Behind, Conversion, RetiredSpace } from '../../domain/collections/conversion.js';
import type { ChunkerSpec } from '../../domain/chunker-spec.js';
import type { EmbeddingSpace } from '../../domain/embedding-space.js';
import type { DocumentKey } from '../../domain/identity.js';
import type { LexicalAnalysis } from '../../domain/lexical-analysis.js';
import type { HandledLetters } from './handled-letters.js';

export type VersionState = 'pending' | 'processing' | 'ready' | 'failed' | 'superseded' | 'deleting';

export interface CollectionRecord {
  readonly workspace: string;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly space: EmbeddingSpace;
  /** While a reindex runs: the space that will take over. */
  readonly targetSpace: EmbeddingSpace | null;
  /** A reindex or rechunk that runs. */
  readonly conversion: Conversion | null;
  /** Spaces that it has left and that may still hold points. */
  readonly retiredSpaces: readonly RetiredSpace[];
  /** When its space took over from another, epoch ms. */
  readonly spaceSince: number | null;
  /** Null: read-only, nothing can be ingested. */
  readonly chunkerSpec: ChunkerSpec | null;
  readonly lexical: LexicalAnalysis;
  readonly state: 'active' | 'deleting';
  /** New versions wait as `pending` until it is resumed. */
  readonly paused: boolean;
  /** Raised at each creation of the same id. */
  readonly generation: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Everything about one version that a stage or a reader asks for. */
export interface VersionRecord extends DocumentKey {
  readonly version: number;
  readonly versionHash: string;
  readonly state: VersionState;
  readonly purgeBegun: boolean;
  readonly uploadId: string;
  readonly contentHash: string;
  readonly sizeBytes: number;
  readonly contentType: string | null;
  readonly title: string | null;
  readonly source: string | null;
  readonly tags: readonly string[];
  /** What the caller gave, over what the document's front matter says. */
  readonly attributes: Attributes;
  readonly attributeRevision: number;
  readonly fileTime: Date | null;
  readonly flow: string;
  readonly textSha256: string | null;
  readonly textBytes: number | null;
  readonly packs: number | null;
  readonly chunks: number | null;
  readonly chunkerSpec: ChunkerSpec;
  readonly lexical: LexicalAnalysis;
  /** The collection's space and, while a reindex runs, its target: a version is ready when confirmed in all. */
  readonly spaces: readonly EmbeddingSpace[];
  readonly retiredSpaces: readonly RetiredSpace[];
  readonly stage: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly liveSince: Date | null;
  readonly supersededAt: Date | null;
}

export interface DocumentRecord extends DocumentKey {
  readonly seq: number;
  readonly lastVersion: number;
  readonly live: VersionRecord | null;
  readonly newest: VersionRecord | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface OperationRecord extends DocumentKey {
  readonly id: string;
  readonly kind: string;
  /** accepted, then as in OperationOutcome. */
  readonly state: string;
  readonly version: number | null;
  readonly chunkCount: number | null;
  readonly unchanged: boolean;
  readonly replaced: number | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Give it back as `after` for the next page; null at the end. */
  readonly next: string | null;
}

/** Which documents; all conditions must hold, and all but times and states speak of the newest version. */
export interface DocumentSelection {
  readonly workspace: string;
  readonly collection?: string;
  readonly state?: VersionState;
  readonly source?: string;
  /** Those whose newest version's source starts with it, in byte order of source; `collection` must be given. */
  readonly sourcePrefix?: string;
  readonly tag?: string;
  /** Attributes of these values; of one that is a list, those that it has to hold. */
  readonly attributes?: Attributes;
  /** When the document last changed: from, inclusive, and before. */
  readonly updatedFrom?: Date;
  readonly updatedBefore?: Date;
}

export interface DocumentQuery extends DocumentSelection {
  readonly after?: string;
  readonly limit: number;
}

/** A place that a collection's documents come from: what of it is sent, and with which tags and metadata. */
export interface SyncRoot {
  /** An absolute path, a glob of absolute paths, or an http(s) URL. */
  readonly root: string;
  readonly tags: readonly string[] | null;
  readonly metadata: Attributes | null;
}

export interface CollectionStatistics {
  /** By the state of the newest version. */
  readonly documents: Readonly<Record<'pending' | 'processing' | 'ready' | 'failed', number>>;
  readonly chunks: number;
  readonly bytes: number;
  readonly lastIngest: Date | null;
  /** sha256 over live documents by source: URI NUL content hash NUL. */
  readonly snapshot: string;
}

/** How far a conversion has come: live versions, and those of them that are behind. */
export interface ConversionProgress {
  readonly live: number;
  /** Of live versions: longer than the window of the model of the target space, or else of the only one. */
  readonly windowedChunks: number;
  readonly waiting: number;
  readonly failed: number;
  /** The first of those that failed, in byte order of their ids. */
  readonly failures: readonly { readonly documentId: string; readonly version: number; readonly behind: Behind }[];
}

export interface NewCollection {
  readonly workspace: string;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly space: EmbeddingSpace;
  readonly chunkerSpec: ChunkerSpec | null;
  readonly lexical: LexicalAnalysis;
}

/** How often processes started with a partition's committed offset where it stands, and whom that points at. */
export interface PartitionStarts {
  /** This start included. */
  readonly starts: number;
  /** The message that was last noted there as handled alone. */
  readonly suspect: bigint | null;
  /** How many processes died while they had it in hand. */
  readonly deaths: number;
}

/**
 * Finds the message that kills every process which handles it: its partition's offset never moves, so starts at the
 * same offset add up, and a note of it that still stands is one more death. Rows are by (group, topic, partition).
 */
export interface DeliveryLedger {
  /**
   * Counts one start for each partition at its committed offset and returns the counts in the order given; at another
   * offset than the row's the count is 1, the suspect null and its deaths 0 again.
   */
  raiseStarts(
    group: string,
    partitions: readonly { readonly topic: string; readonly partition: number; readonly offset: bigint }[],
  ): Promise<readonly PartitionStarts[]>;
  /** Notes, durably, the message that is about to be handled alone. */
  noteSuspect(group: string, topic: string, partition: number, offset: bigint): Promise<void>;
  /** Notes that the suspect is out of hand: whatever ends the process from now on, it was not that message. */
  releaseSuspect(group: string, topic: string, partition: number): Promise<void>;
  /** Forgets a group's starts and suspects: it stopped cleanly. */
  clearStarts(group: string): Promise<void>;
}

/**
 * What must change atomically. Reads serve every processor and the gateway; writes of documents and versions are the
 * librarian's alone. Errors: SluiceError `unavailable`, `storage-full`, and those named at each method.
 */
export interface Catalog extends DeliveryLedger, HandledLetters {
  /** The id of this installation, made at the first migration. */
  installationId(): Promise<string>;

  /** The database's clock: the t0 of a search. */
  now(): Promise<Date>;
  /** The versions that exist of these, by version hash. */
  versions(versionHashes: readonly string[]): Promise<ReadonlyMap<string, VersionRecord>>;
  /** Of these documents, the version that was live at `t0`, by documentKeyString. */
  liveAt(documents: readonly DocumentKey[], t0: Date): Promise<ReadonlyMap<string, VersionRecord>>;
  document(key: DocumentKey): Promise<DocumentRecord | undefined>;
  /** In byte order of collection and document id; tombstones are left out. */
  documents(query: DocumentQuery): Promise<Page<DocumentRecord>>;
  countDocuments(selection: DocumentSelection): Promise<number>;

  /** Throws collection-exists. */
  createCollection(collection: NewCollection): Promise<CollectionRecord>;
  collection(workspace: string, id: string): Promise<CollectionRecord | undefined>;
  collections(workspace: string): Promise<readonly CollectionRecord[]>;
  /** Absent fields stay; throws collection-not-found. */
  updateCollection(
    workspace: string,
    id: string,
    change: { name?: string; description?: string; metadata?: Readonly<Record<string, unknown>> },
  ): Promise<CollectionRecord>;
  conversionProgress(workspace: string, collection: string, failureLimit: number): Promise<ConversionProgress>;
  /** Throws collection-not-found. */
  pauseCollection(workspace: string, id: string, paused: boolean): Promise<CollectionRecord>;
  /** In byte order. */
  syncRoots(workspace: string, collection: string): Promise<readonly SyncRoot[]>;
  /** A recorded root replaces the one of that name. Throws collection-not-found. */
  changeSyncRoots(
    workspace: string,
    collection: string,
    change: { readonly record: readonly SyncRoot[]; readonly forget: readonly string[] },
  ): Promise<readonly SyncRoot[]>;
  statistics(workspace: string, collection: string): Promise<CollectionStatistics>;
  /** Distinct values of one filterable attribute (see filterableAttributes) among a collection's versions, at most `limit` + 1 of them. */
  attributeValues(workspace: string, collection: string, key: string, limit: number): Promise<readonly unknown[]>;

  /** Notes an accepted call; the same id again returns the row that stands. */
  createOperation(operation: DocumentKey & { readonly id: string; readonly kind: string }): Promise<OperationRecord>;
  operation(id: string): Promise<OperationRecord | undefined>;
  /** The newest operation on this document: what a read falls back to before the librarian has seen the command. */
  latestOperation(key: DocumentKey): Promise<OperationRecord | undefined>;

  close(): Promise<void>;
}
