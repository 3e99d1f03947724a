import type { Static, TObject } from '@sinclair/typebox';
import type * as collections from '../api/collections.js';
import type * as conversions from '../api/conversions.js';
import type * as deadLetters from '../api/dead-letters.js';
import type * as documents from '../api/documents.js';
import type * as events from '../api/events.js';
import type * as recover from '../api/recover.js';
import type * as retrieval from '../api/retrieval.js';
import type * as status from '../api/status.js';
import type * as sync from '../api/sync-roots.js';

/** The shapes of the API, as its schemas state them: these are types alone, nothing is loaded. */
export type Attributes = Static<typeof documents.attributesSchema>;
export type VersionState = Static<typeof documents.versionStateSchema>;
export type DocumentVersion = Static<typeof documents.documentVersionSchema>;
export type Document = Static<typeof documents.documentSchema>;
export type DocumentPage = Static<typeof documents.documentPageSchema>;
export type DocumentCount = Static<typeof documents.documentCountSchema>;
export type SubmitOptions = Static<TObject<typeof documents.submitOptions>>;
export type Submitted = Static<typeof documents.submittedSchema>;
export type Operation = Static<typeof documents.operationSchema>;
export type Chunk = Static<typeof documents.chunkSchema>;
export type ChunkPage = Static<typeof documents.chunkPageSchema>;

export type EmbeddingSpace = Static<typeof collections.spaceSchema>;
export type Chunker = Static<typeof collections.chunkerSchema>;
export type Collection = Static<typeof collections.collectionSchema>;
export type CreateCollection = Static<typeof collections.createCollectionSchema>;
export type CreatedCollection = Static<typeof collections.createdCollectionSchema>;
export type UpdateCollection = Static<typeof collections.updateCollectionSchema>;
export type DocumentCounts = Static<typeof collections.documentCountsSchema>;
export type CollectionStatistics = Static<typeof collections.statisticsSchema>;

export type Rechunk = Static<typeof conversions.rechunkSchema>;
export type ReindexPlan = Static<typeof conversions.reindexPlanSchema>;
export type Conversion = Static<typeof conversions.conversionSchema>;

export type DeadLetter = Static<typeof deadLetters.deadLetterSchema>;
export type DeadLetterPage = Static<typeof deadLetters.deadLetterPageSchema>;
export type DeadLetterDetails = Static<typeof deadLetters.deadLetterDetailsSchema>;
export type DeadLetterQuery = Static<TObject<typeof deadLetters.deadLetterQuery>>;
export type ReplayedLetter = Static<typeof deadLetters.replayedLetterSchema>;
export type DroppedLetter = Static<typeof deadLetters.droppedLetterSchema>;

export type SyncRoot = Static<typeof sync.syncRootSchema>;
export type SyncRoots = Static<typeof sync.syncRootsSchema>;
export type ChangeSyncRoots = Static<typeof sync.changeSyncRootsSchema>;

export type SearchRequest = Static<typeof retrieval.searchRequestSchema>;
export type SearchHit = Static<typeof retrieval.searchHitSchema>;
export type SearchResult = Static<typeof retrieval.searchResultSchema>;
export type AskRequest = Static<typeof retrieval.askRequestSchema>;
export type Citation = Static<typeof retrieval.citationSchema>;
export type AskResult = Static<typeof retrieval.askResultSchema>;
export type AskPart = Static<typeof retrieval.askPartSchema>;

export type DocumentEvent = Static<typeof events.documentEventSchema>;
export type WatchEvent = Static<typeof events.watchEventSchema>;
export type OperationOutcome = Static<typeof events.outcomeSchema>;

export type RecoverRequest = Static<typeof recover.recoverRequestSchema>;
export type Recovered = Static<typeof recover.recoveredSchema>;

export type Status = Static<typeof status.statusSchema>;
export type Models = Static<typeof status.modelsSchema>;
export type Health = Static<typeof status.healthSchema>;

/** The states in which an operation has ended. */
export type SettledState = 'ready' | 'unchanged' | 'failed' | 'refused' | 'deleted' | 'stale';
