import { SluiceError, type ErrorClass, type ErrorCode } from '../../domain/errors.js';

/** Any thrown value as an Error, even one that cannot be turned into a string. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  try {
    return new Error(String(thrown), { cause: thrown });
  } catch {
    return new Error('a value was thrown that has no text', { cause: thrown });
  }
}

/** How to treat a thrown value; only our own errors say more than that something went wrong. */
export const classOf = (thrown: unknown): ErrorClass => (thrown instanceof SluiceError ? thrown.class : 'unexpected');

export const codeOf = (thrown: unknown): ErrorCode => (thrown instanceof SluiceError ? thrown.code : 'internal');
