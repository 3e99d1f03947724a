import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { SluiceError } from '../../../domain/errors.js';
import { compareBytes } from '../../../domain/identity.js';
import { abortable } from '../abortable.js';
import { mapConcurrently } from '../map-concurrently.js';
import type { BlobInfo, BlobStore } from '../port.js';
import type { AwsClientOptions } from './aws-client.js';
import { checkStore, type S3Check } from './check.js';
import { storeFailure, type S3Place } from './failures.js';
import { resumed } from './resumed.js';
import { retrying } from './retrying.js';
import type { S3Client, S3Page, S3Upload } from './s3-client.js';
import { S3Error, hasCode, isAbsent } from './s3-error.js';
import { keyOfServerKey, serverKey, serverPrefix } from './server-keys.js';
import { upload } from './upload.js';

const deletedAtOnce = 1_000; // what S3 takes
const batchesAtOnce = 4;

export interface S3BlobStoreOptions extends AwsClientOptions {
  /** What every key in the bucket starts with; empty, or ends in a slash. */
  readonly prefix: string;
  readonly createBucket: boolean;
  readonly partBytes: number;
  readonly maxAttempts: number;
}

/** A blob store on S3, and what only S3 needs. */
export interface S3BlobStore extends BlobStore {
  /**
   * Whether the server answers and the key has every permission that the store needs, one check for each. `createsBucket`:
   * a bucket that is not there is no failure, for the start creates it.
   */
  check(createsBucket?: boolean): Promise<readonly S3Check[]>;
}

/**
 * Blobs as objects of a bucket on AWS or a server that speaks its API. Opening asks nothing of the server, unless the
 * bucket is to be created; then it throws `unavailable` if that fails.
 */
export async function createS3BlobStore(options: S3BlobStoreOptions): Promise<S3BlobStore> {
  const { createAwsClient } = await import('./aws-client.js'); // the SDK is large: loaded by those who use it
  const store = new ObjectBlobStore(createAwsClient(options), options);
  if (options.createBucket) await store.createBucket();
  return store;
}

class ObjectBlobStore implements S3BlobStore {
  readonly #place: S3Place;
  /** Whether an answer has shown that the server takes the key and has the bucket. */
  #known = false;

  constructor(
    readonly client: S3Client,
    readonly options: S3BlobStoreOptions,
  ) {
    const { endpoint, region, bucket, accessKeyId } = options;
    this.#place = { server: endpoint === '' ? `AWS S3 (${region})` : endpoint, region, bucket, accessKeyId };
  }

  async put(key: string, bytes: Buffer): Promise<void> {
    const name = this.#nameOf(key);
    await this.#doing(`writing blob ${key}`, () => this.client.put(name, bytes));
  }

  async putStream(key: string, source: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<{ sizeBytes: number }> {
    const { maxAttempts, partBytes } = this.options;
    const request = { client: this.client, maxAttempts, partBytes, key: this.#nameOf(key), signal };
    try {
      return { sizeBytes: await upload(request, abortable(source, signal)) };
    } catch (error) {
      throw storeFailure(error, `writing blob ${key}`, this.#place);
    }
  }

  async get(key: string): Promise<Buffer | undefined> {
    const stream = await this.getStream(key);
    return stream && (await buffer(stream));
  }

  async getStream(key: string, range?: { start: number; end: number }): Promise<Readable | undefined> {
    const { start, end } = range ?? { start: 0, end: Infinity };
    const name = this.#nameOf(key);
    if (!(start >= 0 && end >= start)) {
      throw new SluiceError('invalid-argument', `blob ${key} has no range from ${start} to ${end}`);
    }
    if (start === end) return (await this.head(key)) && Readable.from([]);
    const doing = `reading blob ${key}`;
    try {
      const first = await this.#doing(doing, () => this.client.get(name, start, end));
      const again = (position: number) =>
        this.#doing(doing, () => this.client.get(name, start + position, start + first.sizeBytes, first.etag));
      const source = this.#failing(doing, resumed(first, again, this.options.maxAttempts));
      const stream = Readable.from(source, { objectMode: false });
      stream.once('close', () => first.body.destroy()); // a stream that nobody reads would keep its connection
      return stream;
    } catch (error) {
      const { cause } = error as Error;
      if (isAbsent(cause)) return undefined;
      if (hasCode(cause, 'InvalidRange')) return Readable.from([]); // it starts after the end of the blob
      throw error;
    }
  }

  async head(key: string): Promise<BlobInfo | undefined> {
    const name = this.#nameOf(key);
    try {
      const { sizeBytes, modifiedAt } = await this.#doing(`looking for blob ${key}`, () => this.client.head(name));
      return { key, sizeBytes, modifiedAt };
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof S3Error) || cause.code !== undefined || cause.status === undefined) throw error;
      if (cause.status === 404 && this.#known) return undefined;
      // The answer to a HEAD does not tell a missing blob from a missing bucket or a refused key; that to a GET does.
      const stream = await this.getStream(key, { start: 0, end: 1 });
      stream?.destroy();
      if (stream === undefined) return undefined;
      throw error;
    }
  }

  async *list(prefix: string): AsyncGenerator<BlobInfo> {
    const doing = `listing blobs under "${prefix}"`;
    const start = serverPrefix(this.options.prefix, prefix);
    let last: string | undefined;
    for await (const { key: name, ...info } of this.#pages(doing, (from) => this.client.list(start, from))) {
      if (last !== undefined && compareBytes(last, name) >= 0) {
        const message = `${this.#place.server} lists ${name} after ${last}: Sluice needs a server that lists in byte order`;
        throw new SluiceError('unsupported', message);
      }
      last = name;
      const key = keyOfServerKey(this.options.prefix, name);
      if (key?.startsWith(prefix)) yield { key, ...info };
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    const names = [...new Set(keys.map((key) => this.#nameOf(key)))];
    const batches = Array.from({ length: Math.ceil(names.length / deletedAtOnce) }, (_, index) =>
      names.slice(index * deletedAtOnce, (index + 1) * deletedAtOnce),
    );
    await mapConcurrently(batches, batchesAtOnce, (batch) =>
      this.#doing('deleting blobs', () => this.client.delete(batch)),
    );
  }

  async abortUploads(before: Date, signal?: AbortSignal): Promise<number> {
    const old: S3Upload[] = [];
    const doing = 'listing unfinished uploads';
    for await (const one of this.#pages(doing, (from) => this.client.listUploads(this.options.prefix, from))) {
      signal?.throwIfAborted();
      if (one.startedAt < before && keyOfServerKey(this.options.prefix, one.key) !== undefined) old.push(one);
    }
    await mapConcurrently(old, batchesAtOnce, async ({ key, uploadId }) => {
      signal?.throwIfAborted();
      await this.#doing('aborting an unfinished upload', async () => {
        await this.client.abortUpload(key, uploadId).catch((error: unknown) => {
          if (!hasCode(error, 'NoSuchUpload')) throw error; // finished or aborted meanwhile
        });
      });
    });
    return old.length;
  }

  async check(createBucket = this.options.createBucket): Promise<readonly S3Check[]> {
    return await checkStore(this.client, { prefix: this.options.prefix, createBucket }, this.#place);
  }

  async createBucket(): Promise<void> {
    const doing = `creating bucket "${this.options.bucket}"`;
    await this.#doing(doing, async () => {
      const missing = await this.client.headBucket().then(
        () => false,
        (error: unknown) => {
          if (error instanceof S3Error && error.status === 404) return true;
          throw error;
        },
      );
      if (missing) await this.client.createBucket();
    });
  }

  async close(): Promise<void> {
    this.client.close();
  }

  #nameOf(key: string): string {
    return serverKey(this.options.prefix, key);
  }

  async #doing<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    try {
      const result = await retrying(this.options.maxAttempts, undefined, attempt);
      this.#known = true;
      return result;
    } catch (error) {
      if (isAbsent(error)) this.#known = true;
      throw storeFailure(error, what, this.#place);
    }
  }

  async *#failing(doing: string, source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* source;
    } catch (error) {
      throw storeFailure(error, doing, this.#place);
    }
  }

  async *#pages<T>(doing: string, page: (from: string | undefined) => Promise<S3Page<T>>): AsyncGenerator<T> {
    let from: string | undefined;
    do {
      const { items, next } = await this.#doing(doing, () => page(from));
      yield* items;
      from = next;
    } while (from !== undefined);
  }
}
