import type { Readable } from 'node:stream';

/** One answer to a read: the bytes from where they were asked for to the end asked for. */
export interface S3Content {
  readonly body: Readable;
  readonly sizeBytes: number;
  readonly etag: string | undefined;
}

export interface S3Object {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

export interface S3Upload {
  readonly key: string;
  readonly uploadId: string;
  readonly startedAt: Date;
}

export interface S3Page<T> {
  readonly items: readonly T[];
  /** What the next page starts from; undefined on the last one. */
  readonly next: string | undefined;
}

/**
 * The operations of S3 that the blob store uses, on one bucket, by the server's own keys. Each is one request, tried
 * once; what fails throws an S3Error, and an aborted signal its reason.
 */
export interface S3Client {
  put(key: string, bytes: Buffer, signal?: AbortSignal): Promise<void>;
  /** Bytes from `start` to before `end`, of the object with this etag, where one is given. */
  get(key: string, start: number, end: number, etag?: string): Promise<S3Content>;
  /** Also what was noted at createUpload. HEAD answers have no body: its errors have no code. */
  head(key: string): Promise<S3Object & { readonly note: string | undefined }>;
  list(prefix: string, from: string | undefined, limit?: number): Promise<S3Page<S3Object>>;
  /** At most 1,000 keys. Keys that do not exist are no error. */
  delete(keys: readonly string[]): Promise<void>;
  /** Returns the upload's id. */
  createUpload(key: string, note: string, signal?: AbortSignal): Promise<string>;
  /** Parts count from 1. Returns the part's etag. */
  uploadPart(key: string, uploadId: string, part: number, bytes: Buffer, signal?: AbortSignal): Promise<string>;
  completeUpload(key: string, uploadId: string, etags: readonly string[], signal?: AbortSignal): Promise<void>;
  abortUpload(key: string, uploadId: string): Promise<void>;
  listUploads(prefix: string, from: string | undefined): Promise<S3Page<S3Upload>>;
  headBucket(): Promise<void>;
  createBucket(): Promise<void>;
  /** What the server calls itself in its answers; undefined before the first and where it does not say. */
  serverName(): string | undefined;
  close(): void;
}
