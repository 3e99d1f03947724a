import { Readable } from 'node:stream';
import type { SluiceApi } from './api.js';
import { streamAnswer } from './ask.js';
import { deadLetterCalls } from './dead-letters.js';
import { documentPath } from './document-path.js';
import { SluiceApiError } from './error.js';
import type {
  ByteRange,
  CallOptions,
  DocumentInput,
  DocumentSelection,
  SluiceClientOptions,
  WaitOptions,
  WatchOptions,
} from './options.js';
import { pages } from './pages.js';
import { putDocument } from './put-document.js';
import { withRetries } from './retry.js';
import { part, Transport, type HttpCall } from './transport.js';
import type * as api from './types.js';
import { waitForOperation } from './wait.js';
import { watchDocuments } from './watch.js';

export type { SluiceApi } from './api.js';
export { SluiceApiError, type ApiErrorCode } from './error.js';
export type * from './options.js';
export type * from './types.js';

const collectionPath = (collection: string): string => `/collections/${part(collection)}`;

/**
 * A Sluice server, over its HTTP interface. Calls that may be repeated are, when the server says `unavailable` or the
 * connection is lost; every call throws SluiceApiError, or the reason of its aborted signal.
 */
export class SluiceClient implements SluiceApi {
  readonly #transport: Transport;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;
  readonly #reconnectMs: number;
  readonly #closing = new AbortController();

  constructor(options: SluiceClientOptions) {
    this.#transport = new Transport(options);
    this.#timeoutMs = options.timeoutMs ?? 120_000;
    this.#maxRetries = options.maxRetries ?? 4;
    this.#reconnectMs = options.reconnectMs ?? 30_000;
  }

  putDocument(input: DocumentInput, options?: CallOptions): Promise<api.Submitted> {
    return putDocument(this.#transport, this.#maxRetries, input, this.#signal(options));
  }

  async ingestDocument(input: DocumentInput, options?: WaitOptions): Promise<api.Operation> {
    const { operation_id } = await this.putDocument(input, options);
    return this.waitForOperation(operation_id, options);
  }

  getDocument(collection: string, documentId: string, options?: CallOptions): Promise<api.Document> {
    return this.#call({ method: 'GET', ...documentPath(collection, documentId) }, options);
  }

  listDocuments(selection: DocumentSelection = {}, options?: CallOptions): AsyncIterable<api.Document> {
    return pages(async (after) => {
      const { documents, next } = await this.documentPage({ ...selection, ...after }, options);
      return { items: documents, next };
    });
  }

  documentPage(
    { collection, ...query }: DocumentSelection & { after?: string } = {},
    options?: CallOptions,
  ): Promise<api.DocumentPage> {
    const path = collection === undefined ? '/documents' : `${collectionPath(collection)}/documents`;
    return this.#call({ method: 'GET', path, query: queryOf(query) }, options);
  }

  async countDocuments(selection: Omit<DocumentSelection, 'limit'> = {}, options?: CallOptions): Promise<number> {
    const call = { method: 'GET', path: '/documents/count', query: queryOf(selection) } as const;
    return (await this.#call<api.DocumentCount>(call, options)).documents;
  }

  deleteDocument(collection: string, documentId: string, options?: CallOptions): Promise<api.Submitted> {
    return this.#call({ method: 'DELETE', ...documentPath(collection, documentId) }, options);
  }

  retryDocument(collection: string, documentId: string, options?: CallOptions): Promise<api.Submitted> {
    return this.#call({ method: 'POST', ...documentPath(collection, documentId, '/retry') }, options);
  }

  async documentText(
    collection: string,
    documentId: string,
    options?: CallOptions & { range?: ByteRange },
  ): Promise<Readable> {
    const range = options?.range;
    const headers = range === undefined ? {} : { range: byteRange(range) };
    const response = await this.#retried(options, (signal) =>
      this.#transport.send({ method: 'GET', ...documentPath(collection, documentId, '/text'), headers, signal }),
    );
    return response.body === null ? Readable.from([]) : Readable.fromWeb(response.body);
  }

  documentChunks(collection: string, documentId: string, options?: CallOptions): AsyncIterable<api.Chunk> {
    const { path, query } = documentPath(collection, documentId, '/chunks');
    return pages(async (after) => {
      const call = { method: 'GET', path, query: { ...query, ...after } } as const;
      const { chunks, next } = await this.#call<api.ChunkPage>(call, options);
      return { items: chunks, next };
    });
  }

  chunk(chunkId: string, options?: CallOptions): Promise<api.Chunk> {
    return this.#call({ method: 'GET', path: `/chunks/${part(chunkId)}` }, options);
  }

  async listCollections(options?: CallOptions): Promise<api.Collection[]> {
    const call = { method: 'GET', path: '/collections' } as const;
    return (await this.#call<{ collections: api.Collection[] }>(call, options)).collections;
  }

  createCollection(collection: api.CreateCollection, options?: CallOptions): Promise<api.CreatedCollection> {
    return this.#once({ method: 'POST', path: '/collections', json: collection }, options);
  }

  getCollection(collection: string, options?: CallOptions): Promise<api.Collection> {
    return this.#call({ method: 'GET', path: collectionPath(collection) }, options);
  }

  updateCollection(collection: string, change: api.UpdateCollection, options?: CallOptions): Promise<api.Collection> {
    return this.#call({ method: 'PATCH', path: collectionPath(collection), json: change }, options);
  }

  deleteCollection(collection: string, options?: CallOptions): Promise<api.Submitted> {
    return this.#call({ method: 'DELETE', path: collectionPath(collection) }, options);
  }

  pauseCollection(collection: string, options?: CallOptions): Promise<api.Collection> {
    return this.#call({ method: 'POST', path: `${collectionPath(collection)}/pause` }, options);
  }

  resumeCollection(collection: string, options?: CallOptions): Promise<api.Collection> {
    return this.#call({ method: 'POST', path: `${collectionPath(collection)}/resume` }, options);
  }

  collectionStatistics(collection: string, options?: CallOptions): Promise<api.CollectionStatistics> {
    return this.#call({ method: 'GET', path: `${collectionPath(collection)}/statistics` }, options);
  }

  reindexCollection(collection: string, model: string, options?: CallOptions): Promise<api.Submitted> {
    return this.#call({ method: 'POST', path: `${collectionPath(collection)}/reindex`, json: { model } }, options);
  }

  planReindex(collection: string, model: string, options?: CallOptions): Promise<api.ReindexPlan> {
    return this.#once(
      { method: 'GET', path: `${collectionPath(collection)}/reindex/plan`, query: { model } },
      options,
      3_600_000,
    );
  }

  skipFailedInReindex(collection: string, options?: CallOptions): Promise<api.Submitted> {
    return this.#call({ method: 'POST', path: `${collectionPath(collection)}/reindex/skip-failed` }, options);
  }

  abortReindex(collection: string, options?: CallOptions): Promise<api.Submitted> {
    return this.#call({ method: 'DELETE', path: `${collectionPath(collection)}/reindex` }, options);
  }

  rechunkCollection(
    collection: string,
    chunker: api.Rechunk['chunker'],
    options?: CallOptions,
  ): Promise<api.Submitted> {
    return this.#call({ method: 'POST', path: `${collectionPath(collection)}/rechunk`, json: { chunker } }, options);
  }

  conversion(collection: string, options?: CallOptions): Promise<api.Conversion> {
    return this.#call({ method: 'GET', path: `${collectionPath(collection)}/conversion` }, options);
  }

  deadLetters(query: api.DeadLetterQuery = {}, options?: CallOptions): AsyncIterable<api.DeadLetter> {
    return pages(async (after) => {
      const page = deadLetterCalls.page({ ...query, ...after });
      const { dead_letters, next } = await this.#call<api.DeadLetterPage>(page, options);
      return { items: dead_letters, next };
    });
  }

  deadLetter(letterId: string, options?: CallOptions): Promise<api.DeadLetterDetails> {
    return this.#call(deadLetterCalls.show(letterId), options);
  }

  replayDeadLetter(letterId: string, options?: CallOptions): Promise<api.ReplayedLetter> {
    return this.#call(deadLetterCalls.replay(letterId), options);
  }

  dropDeadLetter(letterId: string, options?: CallOptions): Promise<api.DroppedLetter> {
    return this.#call(deadLetterCalls.drop(letterId), options);
  }

  async syncRoots(collection: string, options?: CallOptions): Promise<api.SyncRoot[]> {
    const call = { method: 'GET', path: `${collectionPath(collection)}/sync-roots` } as const;
    return (await this.#call<api.SyncRoots>(call, options)).roots;
  }

  async changeSyncRoots(
    collection: string,
    change: api.ChangeSyncRoots,
    options?: CallOptions,
  ): Promise<api.SyncRoot[]> {
    const call = { method: 'PATCH', path: `${collectionPath(collection)}/sync-roots`, json: change } as const;
    return (await this.#call<api.SyncRoots>(call, options)).roots;
  }

  search(request: api.SearchRequest, options?: CallOptions): Promise<api.SearchResult> {
    return this.#call({ method: 'POST', path: '/search', json: request }, options);
  }

  ask(request: api.AskRequest, options?: CallOptions): AsyncIterable<api.AskPart> {
    return streamAnswer(this.#transport, this.#maxRetries, request, this.#signal(options));
  }

  answer(request: api.AskRequest, options?: CallOptions): Promise<api.AskResult> {
    return this.#call({ method: 'POST', path: '/ask', json: request }, options, request.timeout_ms);
  }

  operation(operationId: string, options?: CallOptions): Promise<api.Operation> {
    return this.#call({ method: 'GET', path: `/operations/${part(operationId)}` }, options);
  }

  waitForOperation(operationId: string, options: WaitOptions = {}): Promise<api.Operation> {
    const within = { ...options, signal: this.#signal(options) };
    return waitForOperation(this.#transport, this.#reconnectMs, operationId, within);
  }

  watch(options: WatchOptions = {}): AsyncIterable<api.WatchEvent> {
    return watchDocuments(this.#transport, this.#reconnectMs, { ...options, signal: this.#signal(options) });
  }

  recover(request: api.RecoverRequest = {}, options?: CallOptions): Promise<api.Recovered> {
    return this.#once({ method: 'POST', path: '/recover', json: request }, options);
  }

  status(options?: CallOptions): Promise<api.Status> {
    return this.#call({ method: 'GET', path: '/status' }, options);
  }

  models(options?: CallOptions): Promise<api.Models> {
    return this.#call({ method: 'GET', path: '/models' }, options);
  }

  health(options?: CallOptions): Promise<api.Health> {
    return this.#once({ method: 'GET', path: '/health' }, options);
  }

  close(): Promise<void> {
    this.#closing.abort(new SluiceApiError('unreachable', 0, 'this client was closed'));
    return Promise.resolve();
  }

  #signal(options: CallOptions | undefined): AbortSignal {
    if (options?.signal === undefined) return this.#closing.signal;
    return AbortSignal.any([options.signal, this.#closing.signal]);
  }

  #once<T>(call: HttpCall, options: CallOptions | undefined, longerMs = 0): Promise<T> {
    const timeoutMs = Math.max(this.#timeoutMs, longerMs + 5_000);
    return this.#transport.json({ ...call, signal: this.#signal(options), timeoutMs });
  }

  #call<T>(call: HttpCall, options: CallOptions | undefined, longerMs?: number): Promise<T> {
    return withRetries(this.#maxRetries, this.#signal(options), () => this.#once(call, options, longerMs));
  }

  #retried<T>(options: CallOptions | undefined, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = this.#signal(options);
    return withRetries(this.#maxRetries, signal, () => attempt(signal));
  }
}

/** Attributes go as one JSON value: their types count. */
const queryOf = ({ attributes, ...query }: Omit<DocumentSelection, 'collection'> & { collection?: string }) => ({
  ...query,
  ...(attributes === undefined ? {} : { attributes: JSON.stringify(attributes) }),
});

const byteRange = ({ start, end }: ByteRange): string => `bytes=${start}-${end === undefined ? '' : end - 1}`;
