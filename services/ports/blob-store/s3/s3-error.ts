/** One request that failed: what S3 or the way to it answered. */
export class S3Error extends Error {
  override readonly name = 'S3Error';

  constructor(
    /** The permission that the request needs, such as s3:GetObject. */
    readonly permission: string,
    /** S3's own code, such as NoSuchKey; undefined where the answer had no body. */
    readonly code: string | undefined,
    /** HTTP status; undefined when no answer came. */
    readonly status: number | undefined,
    message: string,
    readonly options: { readonly cause?: unknown; readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause: options.cause });
  }

  /** Whether the same request may succeed a little later. */
  get transient(): boolean {
    if (this.code !== undefined && transientCodes.has(this.code)) return true;
    if (this.code !== undefined && fullCodes.has(this.code)) return false;
    if (this.status === undefined) return this.code === undefined;
    return this.status === 429 || (this.status >= 500 && this.status !== 501 && this.status !== 507);
  }

  get full(): boolean {
    return this.status === 507 || (this.code !== undefined && fullCodes.has(this.code));
  }
}

const transientCodes = new Set([
  ...['SlowDown', 'SlowDownRead', 'SlowDownWrite', 'InternalError', 'ServiceUnavailable', 'RequestTimeout'],
  ...['Throttling', 'ThrottlingException', 'RequestThrottled', 'TooManyRequests', 'OperationAborted'],
  // The bytes were damaged or cut off on their way.
  ...['BadDigest', 'IncompleteBody', 'XAmzContentSHA256Mismatch', 'XAmzContentChecksumMismatch'],
]);
const fullCodes = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'InsufficientStorage',
]);

/** Nothing stands under the key. HEAD answers have no body, so theirs has no code. */
export const isAbsent = (error: unknown): boolean => hasCode(error, 'NoSuchKey');

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof S3Error && error.code !== undefined && codes.includes(error.code);
