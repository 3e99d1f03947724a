import { SluiceError } from '../../domain/errors.js';

const refuse = (key: string, why: string): SluiceError =>
  new SluiceError('invalid-argument', `blob key ${JSON.stringify(key.slice(0, 200))} ${why}`);

/** The parts of a key, as the port defines keys. Throws invalid-argument for a key that is none. */
export function partsOfKey(key: string): readonly string[] {
  if (key.includes('\0')) throw refuse(key, 'contains U+0000');
  if (/\p{Surrogate}/u.test(key)) throw refuse(key, 'contains a lone surrogate');
  const parts = key.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw refuse(key, 'has a part that is empty, "." or ".."');
  }
  return parts;
}
