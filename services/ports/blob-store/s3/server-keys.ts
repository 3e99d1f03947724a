import { SluiceError } from '../../../domain/errors.js';
import { isKey, partsOfKey } from '../parts-of-key.js';

const longestServerKey = 1_024; // bytes, S3's own limit
const longestSegment = 240; // bytes; servers that keep objects as files take 255
const lowMark = '-';
const highMark = '0';

/** Characters that XML 1.0 cannot carry, or changes: listings and batch deletes are XML. */
const escapeCharacter = (character: string): string => {
  if (character <= ' ') return ` ${String.fromCharCode(0x40 + character.charCodeAt(0))}`;
  if (character >= '\ufffd' && character <= '\uffff') return `\ufffd${character.charCodeAt(0) - 0xfffd}`;
  return character;
};

const unescape = (text: string): string =>
  text
    .replace(/ ([A-`])/g, (_, code: string) => String.fromCharCode(code.charCodeAt(0) - 0x40))
    .replace(/\ufffd([0-2])/g, (_, digit: string) => String.fromCharCode(0xfffd + Number(digit)));

/** Where the first segment of a long part ends: after the character with which it reaches the longest segment. */
function segmentEnd(part: string): number {
  let bytes = 0;
  let end = 0;
  for (const character of part) {
    if (bytes >= longestSegment) break;
    bytes += Buffer.byteLength(character);
    end += character.length;
  }
  return end;
}

/** A part too long for one segment goes on in the next; the mark on both tells whether what follows is below `/`. */
function splitPart(part: string): string {
  const end = segmentEnd(part);
  const rest = part.slice(end);
  if (rest === '') return part;
  const mark = rest < '/' ? lowMark : highMark;
  return `${part.slice(0, end)}${mark}/${mark}${splitPart(rest)}`;
}

const encode = (text: string): string =>
  text
    .split('/')
    .map((part) => splitPart(part.replace(/[\0- \ufffd-\uffff]/g, escapeCharacter)))
    .join('/');

/**
 * How a key is named on the server. Almost every key is named as it is; what servers cannot take is written so that
 * byte order stays as it was and keys that start with a text are named with names that start with its name:
 * U+0001–U+0020 and U+FFFD–U+FFFF as two characters, parts over 240 bytes as several. Throws invalid-argument for a key
 * that is none, or whose name is longer than S3 takes.
 */
export function serverKey(prefix: string, key: string): string {
  partsOfKey(key);
  const name = prefix + encode(key);
  if (Buffer.byteLength(name) <= longestServerKey) return name;
  throw new SluiceError(
    'invalid-argument',
    `blob key ${JSON.stringify(key.slice(0, 200))} takes ${Buffer.byteLength(name)} bytes on an S3 server, which takes ${longestServerKey}`,
  );
}

/** The start of the names of all keys that start with `keyPrefix`. */
export const serverPrefix = (prefix: string, keyPrefix: string): string => prefix + encode(keyPrefix);

/** The key that a server's name stands for; undefined for an object that this store did not name. */
export function keyOfServerKey(prefix: string, name: string): string | undefined {
  if (!name.startsWith(prefix)) return undefined;
  let joined = '';
  let mark = '';
  for (const segment of name.slice(prefix.length).split('/')) {
    if (mark !== '' && !segment.startsWith(mark)) return undefined;
    const own = segment.slice(mark.length);
    const end = segmentEnd(own);
    joined += (joined === '' || mark !== '' ? '' : '/') + own.slice(0, end);
    mark = own.slice(end);
  }
  const key = unescape(joined);
  return isKey(key) && prefix + encode(key) === name ? key : undefined;
}
