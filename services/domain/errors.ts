/** How the runtime treats an error: retry without limit, dead letter at once, or a few attempts first. */
export type ErrorClass = 'unavailable' | 'terminal' | 'unexpected';

interface ErrorEntry {
  readonly class: ErrorClass;
  readonly retryable: boolean;
  readonly httpStatus: number;
  readonly meaning: string;
}

/** Every error code of Sluice. The documentation's table is generated from this one. */
export const errorTable = {
  'invalid-argument': {
    class: 'terminal',
    retryable: false,
    httpStatus: 400,
    meaning: 'A value in the request is missing, malformed or out of its bounds.',
  },
  'workspace-required': {
    class: 'terminal',
    retryable: false,
    httpStatus: 400,
    meaning: 'The request names no workspace and the caller has no default one.',
  },
  unauthorized: {
    class: 'terminal',
    retryable: false,
    httpStatus: 401,
    meaning: 'No valid credentials came with the request.',
  },
  forbidden: {
    class: 'terminal',
    retryable: false,
    httpStatus: 403,
    meaning: 'The caller, its host or its origin may not do this.',
  },
  'not-found': {
    class: 'terminal',
    retryable: false,
    httpStatus: 404,
    meaning: 'Nothing with this id or path exists for the caller.',
  },
  'collection-not-found': {
    class: 'terminal',
    retryable: false,
    httpStatus: 404,
    meaning: 'The collection does not exist in the caller’s workspace.',
  },
  'document-not-found': {
    class: 'terminal',
    retryable: false,
    httpStatus: 404,
    meaning: 'The document does not exist in the collection.',
  },
  'chunk-not-found': {
    class: 'terminal',
    retryable: false,
    httpStatus: 404,
    meaning: 'The chunk does not exist in the caller’s workspace.',
  },
  'method-not-allowed': {
    class: 'terminal',
    retryable: false,
    httpStatus: 405,
    meaning: 'The path exists, but not for this HTTP method.',
  },
  'events-expired': {
    class: 'terminal',
    retryable: false,
    httpStatus: 410,
    meaning: 'Events since the cursor of a watch are no longer kept: watch anew, from a listing.',
  },
  'range-not-satisfiable': {
    class: 'terminal',
    retryable: false,
    httpStatus: 416,
    meaning: 'The range of bytes asked for lies outside the text.',
  },
  'collection-exists': {
    class: 'terminal',
    retryable: false,
    httpStatus: 409,
    meaning: 'A collection of this name exists already.',
  },
  'collection-deleting': {
    class: 'terminal',
    retryable: false,
    httpStatus: 409,
    meaning: 'The collection is being deleted; wait until it is gone.',
  },
  'collection-busy': {
    class: 'terminal',
    retryable: true,
    httpStatus: 409,
    meaning: 'The collection is being reindexed or cut anew, or still holds vectors of the space it is to move to.',
  },
  'collection-read-only': {
    class: 'terminal',
    retryable: false,
    httpStatus: 409,
    meaning: 'The collection has no chunker spec, so nothing can be put into it.',
  },
  stalled: {
    class: 'terminal',
    retryable: true,
    httpStatus: 504,
    meaning: 'Nothing was heard of the version, although it was driven again; retry it.',
  },
  'ingest-interrupted': {
    class: 'terminal',
    retryable: false,
    httpStatus: 409,
    meaning: 'The version was deleted or replaced while it was being indexed.',
  },
  stale: {
    class: 'terminal',
    retryable: false,
    httpStatus: 409,
    meaning: 'A newer version has taken the place of the one that was meant.',
  },
  'space-mismatch': {
    class: 'terminal',
    retryable: false,
    httpStatus: 409,
    meaning: 'The collection is pinned to another embedding space.',
  },
  'spec-mismatch': {
    class: 'terminal',
    retryable: false,
    httpStatus: 409,
    meaning: 'The collection is pinned to another chunker spec.',
  },
  'too-large': {
    class: 'terminal',
    retryable: false,
    httpStatus: 413,
    meaning: 'The body is larger than the configured limit.',
  },
  'unsupported-format': {
    class: 'terminal',
    retryable: false,
    httpStatus: 415,
    meaning: 'No decoder takes this kind of document.',
  },
  'invalid-document': {
    class: 'terminal',
    retryable: false,
    httpStatus: 422,
    meaning: 'The document’s bytes are not what its format demands.',
  },
  'unsupported-mode': {
    class: 'terminal',
    retryable: false,
    httpStatus: 422,
    meaning: 'The store or model cannot search in this mode.',
  },
  unsupported: { class: 'terminal', retryable: false, httpStatus: 501, meaning: 'Sluice does not do this.' },
  'invalid-response': {
    class: 'unexpected',
    retryable: true,
    httpStatus: 502,
    meaning: 'A model or store answered with something that breaks its contract.',
  },
  'answer-interrupted': {
    class: 'unexpected',
    retryable: true,
    httpStatus: 502,
    meaning: 'The answer broke off before its end; ask again.',
  },
  unavailable: {
    class: 'unavailable',
    retryable: true,
    httpStatus: 503,
    meaning: 'A server that is needed does not answer; try again later.',
  },
  'newer-release': {
    class: 'unavailable',
    retryable: true,
    httpStatus: 503,
    meaning: 'A message of a newer release, which this one does not know; it waits for a process that does.',
  },
  'installation-mismatch': {
    class: 'terminal',
    retryable: false,
    httpStatus: 503,
    meaning: 'Catalog, blob store and vector store belong to different installations.',
  },
  'data-folder-in-use': {
    class: 'terminal',
    retryable: false,
    httpStatus: 503,
    meaning: 'Another process owns the data folder.',
  },
  'storage-full': {
    class: 'unavailable',
    retryable: true,
    httpStatus: 507,
    meaning: 'No space is left where Sluice keeps its data.',
  },
  'deadline-exceeded': {
    class: 'terminal',
    retryable: true,
    httpStatus: 504,
    meaning: 'The answer did not come before the request’s deadline.',
  },
  'configuration-invalid': {
    class: 'terminal',
    retryable: false,
    httpStatus: 500,
    meaning: 'A setting is unknown, malformed or missing.',
  },
  undecodable: {
    class: 'terminal',
    retryable: false,
    httpStatus: 500,
    meaning: 'The bytes of a message are not what its topic carries.',
  },
  internal: { class: 'unexpected', retryable: true, httpStatus: 500, meaning: 'A fault of Sluice itself.' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code);

/** An error that callers are meant to see: what happened, to what, and what they can do. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly options: { readonly cause?: unknown; readonly retryAfterMs?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }

  get class(): ErrorClass {
    return errorTable[this.code].class;
  }
}

/** What goes over the wire of any error: its code and message, or `internal`. */
export function errorInfo(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof SluiceError) return { code: error.code, message: error.message };
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}
