import { SluiceError } from '../../domain/errors.js';

function problemOf(key: string): string | undefined {
  if (key.includes('\0')) return 'contains U+0000';
  if (/\p{Surrogate}/u.test(key)) return 'contains a lone surrogate';
  if (/(^|\/)\.{0,2}(\/|$)/.test(key)) return 'has a part that is empty, "." or ".."';
  return undefined;
}

/** Whether the port takes this text for a key. */
export const isKey = (text: string): boolean => problemOf(text) === undefined;

/** The parts of a key, as the port defines keys. Throws invalid-argument for a key that is none. */
export function partsOfKey(key: string): readonly string[] {
  const problem = problemOf(key);
  if (problem === undefined) return key.split('/');
  throw new SluiceError('invalid-argument', `blob key ${JSON.stringify(key.slice(0, 200))} ${problem}`);
}
