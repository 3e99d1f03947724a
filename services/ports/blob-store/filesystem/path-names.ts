import { partsOfKey } from '../parts-of-key.js';

const longestName = 200; // file systems take 255 bytes; split well before
const splitMark = '~'; // never written by the encoding, which turns it into %7E

const encodedBytes = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9._-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});

/** Percent-encodes bytes outside A-Z a-z 0-9 . _ - and a leading dot: no name is hidden or leads elsewhere. */
const extend = (name: string, byte: number): string =>
  name === '' && byte === 0x2e ? '%2E' : name + (encodedBytes[byte] ?? '');

/**
 * The folder and file names of one part of a key. A part too long for one name continues in a folder that ends in
 * `~`: whether it does depends on the bytes before the split alone, so folders walked in order list in byte order.
 */
function namesOfPart(part: string): string[] {
  const names: string[] = [];
  let name = '';
  for (const byte of Buffer.from(part, 'utf8')) {
    name = extend(name, byte);
    if (name.length > longestName - 3) {
      names.push(name + splitMark);
      name = '';
    }
  }
  return [...names, name === '' ? splitMark : name];
}

/** The path below the store's folder at which the blob `key` stands. Throws invalid-argument for a key that is none. */
export const namesOfKey = (key: string): string[] => partsOfKey(key).flatMap(namesOfPart);

/** Whether a folder only continues the name of one part. */
export const isContinuation = (name: string): boolean => name.length > 1 && name.endsWith(splitMark);

/** The bytes, as latin1, that a name stands for; undefined for a name that this store did not make. */
export function bytesOfName(name: string): string | undefined {
  const encoded = name.endsWith(splitMark) ? name.slice(0, -1) : name;
  const bytes = encoded.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return [...Buffer.from(bytes, 'latin1')].reduce(extend, '') === encoded ? bytes : undefined;
}
