import { SluiceError } from '../../../services/domain/errors.js';

/**
 * Throws invalid-argument, naming the place, for a string in `value` (a string, or lists and objects of them, keys
 * included) that no store can keep as it is: with U+0000 or a lone surrogate.
 */
export function requireWellFormed(place: string, value: unknown): void {
  if (typeof value === 'string') {
    const bad = value.includes('\0')
      ? 'contains U+0000'
      : /\p{Surrogate}/u.test(value)
        ? 'contains a lone surrogate'
        : undefined;
    if (bad !== undefined) throw new SluiceError('invalid-argument', `${place} ${bad}: remove it`);
  } else if (Array.isArray(value)) {
    for (const each of value) requireWellFormed(place, each);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      requireWellFormed(`a key of ${place}`, key);
      requireWellFormed(`${place}.${key}`, each);
    }
  }
}
