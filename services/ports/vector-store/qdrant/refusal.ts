import { keptRetryAfter } from './connection.js';

/** What a server answered instead of doing what it was asked. */
export interface Refusal {
  readonly status: number;
  /** In the server's words. */
  readonly text: string;
  readonly retryAfterMs?: number;
}

/** The refusal that an error of the SDK stands for; undefined: there was no answer. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  const header = 'headers' in error && error.headers instanceof Headers ? error.headers.get(keptRetryAfter) : null;
  const retryAfterMs = header === null ? undefined : parseRetryAfter(header, Date.now());
  const text = 'data' in error ? textOf(error.data) : error.message;
  return { status: error.status, text, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** RFC 9110, 10.2.3: seconds, or a date. In ms from `now`, never negative; undefined when it is neither. */
export function parseRetryAfter(header: string, now: number): number | undefined {
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** `{"status": {"error": "…"}}` from Qdrant, anything from what stands before it. */
function textOf(data: unknown): string {
  const status = typeof data === 'object' && data !== null && 'status' in data ? data.status : undefined;
  const error = typeof status === 'object' && status !== null && 'error' in status ? status.error : undefined;
  const text = typeof error === 'string' ? error : typeof data === 'string' ? data : JSON.stringify(data ?? '');
  return text.slice(0, 1000);
}
