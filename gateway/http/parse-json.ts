import { SluiceError } from '../../services/domain/errors.js';

/** Parses JSON that a caller wrote. Throws invalid-argument naming `what`. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SluiceError('invalid-argument', `${what} is not valid JSON: ${reason}`);
  }
}
