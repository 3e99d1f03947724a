import { APIConnectionError, APIError } from 'openai';
import { SluiceError } from '../../domain/errors.js';
import { retryAfterMs } from './retry-after.js';

export interface Where {
  /** What messages call the model. */
  readonly name: string;
  readonly baseUrl: string;
}

/** Statuses by which servers refuse what a request says. */
const refusing = new Set([400, 413, 422]);
/** Parts of a request that a caller does not choose: where a server refuses one, the settings are wrong. */
const ofSettings = new Set(['model', 'dimensions']);
const mostQuoted = 500;

/**
 * What went wrong in a call, as a SluiceError: `invalid-argument` where the server refuses the text itself (its own words
 * say why), `invalid-response` where its answer is no JSON, else `unavailable`, with Retry-After if the server gave one. Wrong keys, exhausted quotas and unknown
 * models are `unavailable` too: a setting mends them, and no document is to fail by them.
 */
export function failureOf(error: unknown, { name, baseUrl }: Where): SluiceError {
  if (error instanceof SluiceError) return error;
  const model = `model ${name} at ${baseUrl}`;
  const words = wordsOf(error);
  if (error instanceof SyntaxError) {
    return new SluiceError('invalid-response', `${model} answered with what is no JSON: ${words}`, { cause: error });
  }
  if (!isApiError(error)) {
    return new SluiceError('unavailable', `${model} broke off: ${words}`, { cause: error });
  }
  const { status } = error;
  if (status === undefined) {
    const what = error instanceof APIConnectionError ? 'cannot be reached' : 'failed';
    return new SluiceError('unavailable', `${model} ${what}: ${words}`, { cause: error });
  }
  if (refusing.has(status) && !isOfSettings(error)) {
    return new SluiceError('invalid-argument', `${model} refuses the text: ${words}`, { cause: error });
  }
  const wait = retryAfterMs((header) => error.headers?.get(header), Date.now());
  return new SluiceError('unavailable', `${model} ${adviceOf(status, error)}: ${words}`, {
    cause: error,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  });
}

const isApiError = (error: unknown): error is APIError => error instanceof APIError;

const isOfSettings = ({ param, code }: APIError): boolean =>
  ofSettings.has(param ?? '') || ['model_not_found', 'invalid_api_key'].includes(code ?? '');

function adviceOf(status: number, { code, type }: APIError): string {
  if (status === 401 || status === 403) return 'refuses the key: set another apiKey, or give this one the right';
  if (
    status === 402 ||
    [code, type].some((word) => word === 'insufficient_quota' || word === 'billing_hard_limit_reached')
  ) {
    return 'has no quota left for this key: raise it, or set another apiKey';
  }
  if (status === 429) return 'has too many requests';
  if (status < 500) return 'does not know the call: check baseUrl, model and dimensions';
  return `failed with ${status}`;
}

/** The innermost reason, on one line: "Connection error." tells nobody that the name is unknown. */
function wordsOf(error: unknown): string {
  let text = '';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { message } = cause instanceof AggregateError && cause.message === '' ? asFirst(cause) : cause;
    if (message !== '') text = message;
  }
  if (text === '') text = error instanceof Error ? error.name : String(error);
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > mostQuoted ? `${line.slice(0, mostQuoted)}…` : line;
}

/** Refused by every address that a name has. */
const asFirst = ({ errors }: AggregateError): Error => {
  const first: unknown = errors[0];
  return first instanceof Error ? first : new Error('no address answered');
};
