import { isUtf8 } from 'node:buffer';
import chardet from 'chardet';

export interface Encoding {
  /** As WHATWG names it. */
  readonly name: string;
  readonly source: 'bom' | 'utf-8' | 'declared' | 'detected';
}

/** The encoding that the first bytes prove: a byte order mark, or the zeros of UTF-16 without one. */
export function encodingOfHead(head: Buffer): Encoding | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { name: 'utf-8', source: 'bom' };
  if (head[0] === 0xff && head[1] === 0xfe) return { name: 'utf-16le', source: 'bom' };
  if (head[0] === 0xfe && head[1] === 0xff) return { name: 'utf-16be', source: 'bom' };
  const zeros = [0, 0];
  const sample = head.subarray(0, 4096);
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const half = sample.length / 2;
  // Text of mostly Latin letters and spaces: nearly every other byte is zero.
  if (odd > half * 0.4 && even < half * 0.05) return { name: 'utf-16le', source: 'detected' };
  if (even > half * 0.4 && odd < half * 0.05) return { name: 'utf-16be', source: 'detected' };
  return undefined;
}

/** Tells chunk by chunk whether bytes are UTF-8. */
export class Utf8Check {
  #tail: Buffer = Buffer.alloc(0);

  /** Whether the bytes so far end within a character. */
  get incomplete(): boolean {
    return this.#tail.length > 0;
  }

  /** False once a chunk is not UTF-8; a character cut at its end is waited for. */
  accepts(chunk: Buffer): boolean {
    const bytes = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    const end = bytes.length - incompleteBytes(bytes);
    this.#tail = Buffer.from(bytes.subarray(end));
    return isUtf8(bytes.subarray(0, end));
  }
}

/** How many bytes at the end begin a character that is not finished. */
function incompleteBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needs > back ? back : 0;
    }
  }
  return 0;
}

/** UTF-8 with a few broken bytes is still UTF-8: this many sound characters beyond ASCII for each broken one. */
const soundPerBroken = 10;

/** The encoding of bytes that are not sound UTF-8, by the statistics of a sample. */
export function detectEncoding(sample: Buffer): Encoding {
  const asUtf8 = new TextDecoder().decode(sample);
  const broken = asUtf8.match(/\ufffd/g)?.length ?? 0;
  const sound = (asUtf8.match(/[^\0-\x7f]/g)?.length ?? 0) - broken;
  if (sound >= broken * soundPerBroken) return { name: 'utf-8', source: 'detected' };
  const guesses = chardet.analyse(sample).flatMap(({ name: label, confidence }) => {
    const name = label === 'ASCII' || label === 'UTF-8' ? undefined : known(label);
    return name === undefined || confidence < leastConfidence ? [] : [{ name, confidence }];
  });
  const best = guesses[0]?.confidence ?? 0;
  const western = guesses.some(({ name, confidence }) => name === 'windows-1252' && confidence >= best - nearlyAsGood);
  return { name: western ? 'windows-1252' : (guesses[0]?.name ?? 'windows-1252'), source: 'detected' };
}

/** Less says only that the bytes could be read so, not that they look like a language. */
const leastConfidence = 20;
/** Of Latin alphabets that look nearly alike, the most common is taken. */
const nearlyAsGood = 15;

/** The WHATWG name of an encoding label, or undefined for one that cannot be decoded. */
export function known(label: string): string | undefined {
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    return undefined;
  }
}
