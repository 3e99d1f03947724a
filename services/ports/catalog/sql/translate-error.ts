import { SluiceError } from '../../../domain/errors.js';

const deadlock = '40P01';

/**
 * A driver's error as the catalog throws it. PostgreSQL's error classes 08, 53 and 57, a lost serialisation or deadlock,
 * and a connection that failed are a server that cannot do its work just now.
 */
export function translateError(error: unknown, sql: string): unknown {
  if (!(error instanceof Error) || error instanceof SluiceError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const options = { cause: error };
  if (code === '53100' || code === 'ENOSPC' || /no space left/i.test(error.message)) {
    return new SluiceError('storage-full', `the catalog has no space left on its disk: ${error.message}`, options);
  }
  if (isStalePlan(error)) {
    return new SluiceError('unavailable', `the catalog's tables have changed since this process connected`, options);
  }
  if (/^(08|28|53|57)/.test(code) || code === '40001' || code === deadlock || isConnectionError(code, error.message)) {
    return new SluiceError('unavailable', `the catalog cannot answer: ${error.message}`, options);
  }
  const statement = sql.trim().replace(/\s+/g, ' ').slice(0, 80);
  return new Error(`catalog: ${error.message} (in: ${statement} …)`, options);
}

/** Whether a transaction was chosen to give way to another one that waits for it: to do it again may help at once. */
export const isDeadlock = (error: unknown): boolean =>
  error instanceof SluiceError &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === deadlock;

/** Whether a table has changed since the statement was prepared: on that connection it fails for ever. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof Error && /cached plan must not change result type/.test(error.message);

const isConnectionError = (code: string, message: string): boolean =>
  ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'].includes(code) ||
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i.test(
    message,
  );
