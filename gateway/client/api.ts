import type { Readable } from 'node:stream';
import type { ByteRange, CallOptions, DocumentInput, DocumentSelection, WaitOptions, WatchOptions } from './options.js';
import type * as api from './types.js';

/** Everything that a Sluice server does, over its HTTP interface. */
export interface SluiceApi {
  /** Streams a document in; resolves once its command is durable, before it is indexed. */
  putDocument(input: DocumentInput, options?: CallOptions): Promise<api.Submitted>;
  /** putDocument, then waitForOperation. */
  ingestDocument(input: DocumentInput, options?: WaitOptions): Promise<api.Operation>;
  getDocument(collection: string, documentId: string, options?: CallOptions): Promise<api.Document>;
  /** All pages, in byte order of collection and document id. */
  listDocuments(selection?: DocumentSelection, options?: CallOptions): AsyncIterable<api.Document>;
  documentPage(selection?: DocumentSelection & { after?: string }, options?: CallOptions): Promise<api.DocumentPage>;
  countDocuments(selection?: Omit<DocumentSelection, 'limit'>, options?: CallOptions): Promise<number>;
  /** Nothing there is not an error. */
  deleteDocument(collection: string, documentId: string, options?: CallOptions): Promise<api.Submitted>;
  /** Puts the newest version to work again where it failed; otherwise the operation ends `stale`. */
  retryDocument(collection: string, documentId: string, options?: CallOptions): Promise<api.Submitted>;
  documentText(
    collection: string,
    documentId: string,
    options?: CallOptions & { range?: ByteRange },
  ): Promise<Readable>;
  documentChunks(collection: string, documentId: string, options?: CallOptions): AsyncIterable<api.Chunk>;
  chunk(chunkId: string, options?: CallOptions): Promise<api.Chunk>;

  listCollections(options?: CallOptions): Promise<api.Collection[]>;
  createCollection(collection: api.CreateCollection, options?: CallOptions): Promise<api.CreatedCollection>;
  getCollection(collection: string, options?: CallOptions): Promise<api.Collection>;
  updateCollection(collection: string, change: api.UpdateCollection, options?: CallOptions): Promise<api.Collection>;
  deleteCollection(collection: string, options?: CallOptions): Promise<api.Submitted>;
  /** New versions wait as `pending`; what is at work ends. */
  pauseCollection(collection: string, options?: CallOptions): Promise<api.Collection>;
  resumeCollection(collection: string, options?: CallOptions): Promise<api.Collection>;
  collectionStatistics(collection: string, options?: CallOptions): Promise<api.CollectionStatistics>;

  /** Begins to embed a collection with another model; resolves once that is durable. */
  reindexCollection(collection: string, model: string, options?: CallOptions): Promise<api.Submitted>;
  /** What that would do; changes nothing. */
  planReindex(collection: string, model: string, options?: CallOptions): Promise<api.ReindexPlan>;
  /** Lets a reindex end without the documents that failed in it. */
  skipFailedInReindex(collection: string, options?: CallOptions): Promise<api.Submitted>;
  abortReindex(collection: string, options?: CallOptions): Promise<api.Submitted>;
  /** Begins to cut the texts of a collection anew. */
  rechunkCollection(collection: string, chunker: api.Rechunk['chunker'], options?: CallOptions): Promise<api.Submitted>;
  /** How far a reindex or rechunk has come. */
  conversion(collection: string, options?: CallOptions): Promise<api.Conversion>;

  /** All pages, the last to fail first; those that somebody has to look at, unless `state` says all. */
  deadLetters(query?: api.DeadLetterQuery, options?: CallOptions): AsyncIterable<api.DeadLetter>;
  deadLetter(letterId: string, options?: CallOptions): Promise<api.DeadLetterDetails>;
  /** Sends its message again; a repeated call is the same replay. */
  replayDeadLetter(letterId: string, options?: CallOptions): Promise<api.ReplayedLetter>;
  dropDeadLetter(letterId: string, options?: CallOptions): Promise<api.DroppedLetter>;

  /** Where the collection's documents come from, as `sluice sync` recorded it. */
  syncRoots(collection: string, options?: CallOptions): Promise<api.SyncRoot[]>;
  /** Documents stay as they are. */
  changeSyncRoots(collection: string, change: api.ChangeSyncRoots, options?: CallOptions): Promise<api.SyncRoot[]>;

  search(request: api.SearchRequest, options?: CallOptions): Promise<api.SearchResult>;
  /** The answer as it is made: texts, then one end. Leaving the loop stops the generation. */
  ask(request: api.AskRequest, options?: CallOptions): AsyncIterable<api.AskPart>;
  /** The whole answer at once. */
  answer(request: api.AskRequest, options?: CallOptions): Promise<api.AskResult>;

  operation(operationId: string, options?: CallOptions): Promise<api.Operation>;
  /** Until the operation has ended, across restarts of the server. A time-out throws `deadline-exceeded`. */
  waitForOperation(operationId: string, options?: WaitOptions): Promise<api.Operation>;
  /** Connects again by itself; after that a listing may begin anew, without what was seen. */
  watch(options?: WatchOptions): AsyncIterable<api.WatchEvent>;

  /** Looks now for what was silent too long and what is due to be purged. */
  recover(request?: api.RecoverRequest, options?: CallOptions): Promise<api.Recovered>;
  status(options?: CallOptions): Promise<api.Status>;
  models(options?: CallOptions): Promise<api.Models>;
  /** Readiness; a server that answers `failing` is no error. */
  health(options?: CallOptions): Promise<api.Health>;
  /** Closes connections that are kept open. */
  close(): Promise<void>;
}
