import type { Schemas } from '@qdrant/js-client-rest';
import { SluiceError } from '../../../domain/errors.js';
import { refusalOf } from './refusal.js';
import { judge, RequestTimeout, storeFailure } from './failures.js';
import { retried, type RetryPolicy } from './retry.js';
import { connect, type ConnectionOptions } from './connection.js';

export interface RequestOptions extends ConnectionOptions, RetryPolicy {
  readonly timeoutMs: number;
}

/** A point as it is written. */
export interface StoredPoint {
  readonly id: string;
  readonly vector: { dense: number[]; terms: { indices: number[]; values: number[] } };
  readonly payload: Record<string, unknown>;
}

/** A point as it is found. */
export type FoundPoint = Pick<Schemas['Record'], 'id' | 'payload' | 'vector'> & { readonly score?: number };
export type Page = {
  readonly points: readonly FoundPoint[];
  readonly next: Schemas['ScrollResult']['next_page_offset'];
};

interface Answer<T> {
  readonly data: { readonly result?: T | null };
}

/**
 * The operations of Qdrant that the vector store uses. All of them may be repeated, and are, while the server is
 * overloaded, broken or away; then the error is `unavailable`. Writes are durable when they resolve. What is asked of a
 * collection that is not there throws MissingCollection.
 */
export class QdrantServer {
  readonly #server: ReturnType<typeof connect>;

  constructor(private readonly options: RequestOptions) {
    this.#server = connect(options);
  }

  async version(): Promise<string> {
    const { data } = await this.#send('asking for its version', (api, init) => api.root({}, init));
    return data.version;
  }

  /** Whether this is a server that takes the API key. */
  async collections(): Promise<readonly string[]> {
    const { collections } = await this.#ask('listing collections', (api, init) => api.getCollections({}, init));
    return collections.map(({ name }) => name);
  }

  describe(name: string): Promise<Schemas['CollectionInfo']> {
    return this.#ask(`describing collection ${name}`, (api, init) =>
      api.getCollection({ collection_name: name }, init),
    );
  }

  /** False: it was there, or somebody else makes it at this moment. */
  async create(name: string, settings: Schemas['CreateCollection']): Promise<boolean> {
    try {
      await this.#ask(`creating collection ${name}`, (api, init) =>
        api.createCollection({ collection_name: name, ...settings }, init),
      );
      return true;
    } catch (error) {
      const refusal = error instanceof SluiceError ? refusalOf(error.cause) : undefined;
      if (refusal?.status === 409 || (refusal?.status === 400 && /already exists/.test(refusal.text))) return false;
      throw error;
    }
  }

  async index(name: string, field: string, schema: Schemas['PayloadFieldSchema']): Promise<void> {
    await this.#ask(`indexing ${field} in collection ${name}`, (api, init) =>
      api.createFieldIndex({ collection_name: name, wait: true, field_name: field, field_schema: schema }, init),
    );
  }

  async upsert(name: string, points: readonly StoredPoint[]): Promise<void> {
    await this.#ask(`writing ${points.length} points`, (api, init) =>
      api.upsertPoints({ collection_name: name, wait: true, points: [...points] }, init),
    );
  }

  async setPayload(name: string, filter: Schemas['Filter'], payload: Schemas['Payload']): Promise<void> {
    await this.#ask('changing payloads', (api, init) =>
      api.setPayload({ collection_name: name, wait: true, payload, filter }, init),
    );
  }

  async remove(name: string, filter: Schemas['Filter']): Promise<void> {
    await this.#ask('removing points', (api, init) =>
      api.deletePoints({ collection_name: name, wait: true, filter }, init),
    );
  }

  async query(
    name: string,
    request: Schemas['QueryRequest'],
    signal: AbortSignal | undefined,
  ): Promise<readonly FoundPoint[]> {
    const { points } = await this.#ask(
      'searching',
      (api, init) => api.queryPoints({ collection_name: name, ...request }, init),
      signal,
    );
    return points;
  }

  async scroll(name: string, request: Schemas['ScrollRequest']): Promise<Page> {
    const { points, next_page_offset: next } = await this.#ask('reading points', (api, init) =>
      api.scrollPoints({ collection_name: name, ...request }, init),
    );
    return { points, next };
  }

  async count(name: string, filter: Schemas['Filter']): Promise<number> {
    const { count } = await this.#ask('counting points', (api, init) =>
      api.countPoints({ collection_name: name, filter, exact: true }, init),
    );
    return count;
  }

  close(): Promise<void> {
    return this.#server.agent.close();
  }

  async #ask<T>(
    doing: string,
    operation: (api: ReturnType<typeof connect>['api'], init: RequestInit) => Promise<Answer<T>>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { data } = await this.#send(doing, operation, signal);
    if (data.result !== undefined && data.result !== null) return data.result;
    throw new SluiceError('invalid-response', `${this.options.url} answered without a result: ${doing}`);
  }

  async #send<T>(
    doing: string,
    operation: (api: ReturnType<typeof connect>['api'], init: RequestInit) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    try {
      return await retried(() => this.#attempt(operation, signal), judge, this.options, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw storeFailure(error, doing, this.options.url);
    }
  }

  async #attempt<T>(
    operation: (api: ReturnType<typeof connect>['api'], init: RequestInit) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { api, init } = this.#server;
    const abort = new AbortController();
    const { timeoutMs } = this.options;
    const timer = setTimeout(() => abort.abort(new RequestTimeout(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const cancel = (): void => abort.abort(signal?.reason);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await operation(api, { ...init, signal: abort.signal });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }
}
