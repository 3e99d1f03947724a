import { SluiceError } from '../../domain/errors.js';
import type { DeliverySettings } from './settings.js';
import { classOf, codeOf } from './thrown.js';

/** What a message went through so far. */
export interface FailureHistory {
  /** Failed attempts that were no outage. */
  readonly unexpected: number;
  /** Failed attempts in all, the one just made included. */
  readonly attempts: number;
  /** Epoch ms of the first of the outages that followed one another, if the last attempt met one. */
  readonly unavailableSince: number | undefined;
  /** Whether another message like this one passed since its attempt before. */
  readonly othersPassed: boolean;
}

export type Verdict = { readonly retryInMs: number } | 'final';

type Limits = Pick<DeliverySettings, 'firstRetryMs' | 'maxRetryMs'>;

/** Exponential backoff with full jitter: a random time below min(max, first · 2^(attempt − 1)). `random` is in [0, 1). */
export const backoffMs = (attempt: number, limits: Limits, random: number): number =>
  random * Math.min(limits.maxRetryMs, limits.firstRetryMs * 2 ** Math.min(attempt - 1, 30));

/** Whether an outage that this message meets is its own doing. One that waits for a newer release waits without limit. */
export const isIsolated = (
  thrown: unknown,
  history: FailureHistory,
  settings: DeliverySettings,
  now: number,
): boolean =>
  codeOf(thrown) !== 'newer-release' &&
  history.othersPassed &&
  history.unavailableSince !== undefined &&
  now - history.unavailableSince >= settings.isolatedAfterMs;

/** Retry, and when, or give up. An outage that isIsolated is to be counted among the unexpected failures before. */
export function judge(
  thrown: unknown,
  history: FailureHistory,
  options: { readonly settings: DeliverySettings; readonly request: boolean; readonly random: number },
): Verdict {
  const { settings, request, random } = options;
  const errorClass = classOf(thrown);
  if (errorClass === 'terminal') return 'final';
  if (request && history.attempts >= settings.maxRequestAttempts) return 'final';
  if (history.unexpected >= settings.maxAttempts) return 'final';
  const retryAfterMs = thrown instanceof SluiceError ? thrown.options.retryAfterMs : undefined;
  const backoff = backoffMs(history.attempts, settings, random);
  return { retryInMs: retryAfterMs === undefined ? backoff : Math.max(retryAfterMs, backoff) };
}
