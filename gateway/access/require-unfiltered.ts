import { SluiceError } from '../../services/domain/errors.js';
import type { Caller } from '../operations/context.js';

/** Throws forbidden for a caller with a mandatory filter: counts would tell what it hides, and changes would pass it by. */
export function requireUnfiltered(caller: Caller, action: string): void {
  if (caller.required === undefined) return;
  throw new SluiceError('forbidden', `this API key may only read what its filter lets through; it may not ${action}`);
}
