import type { Readable } from 'node:stream';

export interface BlobInfo {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

/**
 * Bytes under keys. Keys are `/`-separated, any Unicode in the parts, none of them empty, `.` or `..`; no key is a
 * folder of another. A blob appears whole or not at all, and is durable when its put resolves. Errors: SluiceError
 * `unavailable`, `storage-full`.
 */
export interface BlobStore {
  put(key: string, bytes: Buffer): Promise<void>;
  /** Streams a blob of any size in; an aborted or failing source leaves nothing behind. */
  putStream(key: string, source: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<{ readonly sizeBytes: number }>;
  get(key: string): Promise<Buffer | undefined>;
  /** `range` in bytes, end exclusive. */
  getStream(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable | undefined>;
  head(key: string): Promise<BlobInfo | undefined>;
  /** All blobs whose key starts with `prefix`, in byte order of their keys. */
  list(prefix: string): AsyncIterable<BlobInfo>;
  /** Removes the keys that exist; a key that does not is no error. */
  delete(keys: readonly string[]): Promise<void>;
  /** Gives up streamed puts that began before `before` and whose process died. Returns how many. */
  abortUploads(before: Date, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>;
}
