import type { Readable } from 'node:stream';
import type { Attributes, SubmitOptions, VersionState } from './types.js';

export interface SluiceClientOptions {
  /** Where the gateway listens, such as `http://127.0.0.1:7300`. */
  readonly url: string;
  /** Sent as bearer token. */
  readonly apiKey?: string;
  /** The workspace to speak for; absent: the key's own, or `default`. */
  readonly workspace?: string;
  /** How long a call without streaming may take. Default 120,000. */
  readonly timeoutMs?: number;
  /** How often a call that may be repeated is, after `unavailable` or a lost connection. Default 4. */
  readonly maxRetries?: number;
  /** How long a wait or a watch goes on trying while no server answers. Default 30,000. */
  readonly reconnectMs?: number;
  /** Another implementation of fetch, for tests and proxies. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** Aborting ends the call with the signal's reason; the server stops working on it. */
  readonly signal?: AbortSignal | undefined;
}

/** `file`: the path of a file, which is streamed and read again when the call is repeated. */
export type DocumentBody =
  string | Uint8Array | Blob | Readable | AsyncIterable<Uint8Array> | { readonly file: string };

export interface DocumentInput extends SubmitOptions {
  readonly collection: string;
  /** The caller's own id; absent: made of the source, or else of the content. */
  readonly document_id?: string;
  readonly body: DocumentBody;
  /** The same key never makes a second operation, across restarts of either side. */
  readonly idempotencyKey?: string;
}

export interface DocumentSelection {
  /** None: all of the workspace. */
  readonly collection?: string;
  readonly state?: VersionState;
  readonly source?: string;
  /** Of one collection: those whose source starts with this, in byte order of source. */
  readonly source_prefix?: string;
  readonly tag?: string;
  /** With metadata of these values; of a list, those that it has to hold. */
  readonly attributes?: Attributes;
  /** When the document last changed, ISO 8601: from, inclusive, and before. */
  readonly updated_from?: string;
  readonly updated_before?: string;
  /** Documents a page. Default 100. */
  readonly limit?: number;
}

export interface WaitOptions extends CallOptions {
  /** How long to wait in all; the work goes on after. Default: for ever. */
  readonly timeoutMs?: number;
}

export interface WatchOptions extends CallOptions {
  readonly collection?: string;
  readonly document_id?: string;
  /** `listing` (default): every document's present status first, then `listed`, then changes. `now`: only changes. */
  readonly from?: 'listing' | 'now';
  /** The cursor of the last event seen, by whatever process: what came after it, then changes. */
  readonly after?: string;
}

/** Bytes of the decoded text, end exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number;
}
