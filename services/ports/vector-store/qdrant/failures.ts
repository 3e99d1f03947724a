import { SluiceError } from '../../../domain/errors.js';
import { refusalOf, type Refusal } from './refusal.js';
import type { Verdict } from './retry.js';

/** A collection that is not on the server: nothing was ever written there. */
export class MissingCollection extends Error {
  override readonly name = 'MissingCollection';
}

/** A request that took longer than it may. */
export class RequestTimeout extends Error {
  override readonly name = 'RequestTimeout';
}

const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const isFull = ({ text }: Refusal): boolean =>
  /no space left|available disk space|out of disk|disk is full/i.test(text);

/** Whether a failure may pass: an overloaded or failing server, a broken connection, a time-out. */
export function judge(error: unknown): Verdict {
  if (error instanceof SluiceError) return 'no';
  const refusal = refusalOf(error);
  // The SDK's own errors of other kinds, and those of a broken connection, have no status.
  if (refusal === undefined) return isBrokenConnection(error) || error instanceof RequestTimeout ? {} : 'no';
  if (!transientStatuses.has(refusal.status) || isFull(refusal)) return 'no';
  return refusal.retryAfterMs === undefined ? {} : { retryAfterMs: refusal.retryAfterMs };
}

/** `fetch failed` and `terminated` are TypeErrors with a cause. */
const isBrokenConnection = (error: unknown): boolean => error instanceof TypeError && 'cause' in error;

/**
 * What a failure means to the callers of a vector store. Refused keys and wrong addresses are `unavailable`: they are put
 * right by an operator, and no document is to blame.
 */
export function storeFailure(error: unknown, doing: string, url: string): unknown {
  const refusal = refusalOf(error);
  if (refusal === undefined) {
    if (judge(error) === 'no') return error;
    return new SluiceError('unavailable', `Qdrant at ${url} does not answer: ${doing}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  const { status, text, retryAfterMs } = refusal;
  if (status === 404 && /^Not found: Collection/.test(text)) return new MissingCollection(text, { cause: error });
  const options = { cause: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (isFull(refusal)) {
    return new SluiceError(
      'storage-full',
      `no space is left where Qdrant at ${url} keeps its data: free some`,
      options,
    );
  }
  if (status === 401 || status === 403) {
    const message = `Qdrant at ${url} refuses the API key (${status} ${text}): check qdrant.apiKey`;
    return new SluiceError('unavailable', message, options);
  }
  if (status === 404) {
    return new SluiceError('unavailable', `${url} is no Qdrant server (${status} ${text}): check qdrant.url`, options);
  }
  if (status === 413 || /larger than allowed|exceeded limit/i.test(text)) {
    return new SluiceError('too-large', `Qdrant at ${url} takes no request of this size: ${doing}: ${text}`, options);
  }
  if (/dimension error/i.test(text)) {
    const message = `Qdrant at ${url} holds vectors of another width: ${doing}: ${text}`;
    return new SluiceError('space-mismatch', `${message}; give the model another space id`, options);
  }
  const message = `Qdrant at ${url} answered ${status}: ${doing}: ${text}`;
  return new SluiceError(transientStatuses.has(status) ? 'unavailable' : 'invalid-response', message, options);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
