import { isSummary, parseDecodedLine, type BlockLine, type DecodedSummary } from '../domain/decoded-text.js';
import { SluiceError } from '../domain/errors.js';

/** Blocks that follow one another, with their texts. */
export interface DecodedSegment {
  readonly blocks: readonly BlockLine[];
  readonly text: Buffer;
  /** With the last segment. */
  readonly summary: DecodedSummary | undefined;
}

/** How much text goes to a worker at once, and how many blocks at most. */
const segmentBytes = 1 << 20;
const segmentBlocks = 20_000;

/**
 * Reads a stored text along its stored blocks, in segments; exactly one, the last, has the summary. Closing the two
 * streams is left to who opened them: of the text, nothing may have been read.
 */
export async function* decodedSegments(
  blocks: AsyncIterable<Buffer>,
  text: AsyncIterable<Buffer>,
): AsyncGenerator<DecodedSegment> {
  const bytes = new ByteReader(text);
  let waiting: BlockLine[] = [];
  let length = 0;
  for await (const line of linesOf(blocks)) {
    const parsed = parseDecodedLine(line);
    if (isSummary(parsed)) {
      yield { blocks: waiting, text: await bytes.take(length), summary: parsed };
      return;
    }
    waiting.push(parsed);
    length += parsed.bytes;
    if (length < segmentBytes && waiting.length < segmentBlocks) continue;
    yield { blocks: waiting, text: await bytes.take(length), summary: undefined };
    waiting = [];
    length = 0;
  }
  throw incomplete('blocks');
}

const incomplete = (what: string): SluiceError =>
  new SluiceError('internal', `the stored ${what} end early: load the document again with force`);

async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      yield (parts.length === 1 ? (parts[0] ?? chunk) : Buffer.concat(parts)).toString('utf8');
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
}

/** Takes any number of bytes off a stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const next = await this.#chunks.next();
      if (next.done === true) throw incomplete('text');
      parts.push(next.value);
      have += next.value.length;
    }
    const all = Buffer.concat(parts);
    this.#rest = all.subarray(length);
    return all.subarray(0, length);
  }
}
