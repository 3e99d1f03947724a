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
  collectionStatistics(collection: string, options?: CallOptions): Promise<api.CollectionStatistics>;

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

  status(options?: CallOptions): Promise<api.Status>;
  models(options?: CallOptions): Promise<api.Models>;
  /** Readiness; a server that answers `failing` is no error. */
  health(options?: CallOptions): Promise<api.Health>;
  /** Closes connections that are kept open. */
  close(): Promise<void>;
}
