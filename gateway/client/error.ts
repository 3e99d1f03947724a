import type { ErrorCode } from '../../services/domain/errors.js';

/** A code of the server's error table, or `unreachable`: no server answered at the URL. */
export type ApiErrorCode = ErrorCode | 'unreachable';

/** What a call of the client throws, unless its own signal was aborted. */
export class SluiceApiError extends Error {
  override readonly name = 'SluiceApiError';

  constructor(
    /** A code of the error table; newer servers may know more. */
    readonly code: ApiErrorCode | (string & {}),
    /** HTTP status; 0 if no answer came. */
    readonly status: number,
    message: string,
    options: { readonly cause?: unknown; readonly retryAfterMs?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }

  readonly retryAfterMs: number | undefined;
}
