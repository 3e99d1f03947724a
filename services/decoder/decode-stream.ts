import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Attributes } from '../domain/attributes.js';
import { summaryLine, type DecodedSummary } from '../domain/decoded-text.js';
import { SluiceError } from '../domain/errors.js';
import { runInWorker, WorkerStopped, type RunOptions } from '../runtime/workers/pool.js';
import { workerTask, type WorkerTask } from '../runtime/workers/worker-task.js';
import { isStreamed, type DecoderCarry } from './decode.js';
import type { SegmentInput, SegmentOutput } from './decode-worker.js';
import { Characters } from './sniff/characters.js';
import type { Encoding } from './sniff/encoding.js';
import { mediaTypeOf, type Hints } from './sniff/format.js';
import { inspect } from './sniff/inspect.js';

const workerFile = new URL('./decode-worker.js', import.meta.url);
const decodeSegment = workerTask<SegmentInput, SegmentOutput>(workerFile, 'decodeSegment');
const detect = workerTask<Uint8Array, Encoding>(workerFile, 'detect');

export interface DecodeLimits extends RunOptions {
  /** The most bytes of a document that can only be decoded whole. */
  readonly maxWholeBytes: number;
}

/** A piece of the decoded document, as it is stored. */
export interface DecodedPiece {
  readonly text: Uint8Array;
  readonly lines: Uint8Array;
  /** With the last piece. */
  readonly summary?: DecodedSummary;
}

/** How many characters go to a worker at once. */
const segmentUnits = 1 << 20;

/**
 * Decodes a document piece by piece; the last piece has no text, and the summary as its line. `openSource` gives the
 * bytes, each time from the start. Memory is a few segments, whatever the size; formats that need the whole document are
 * bounded by `maxWholeBytes`. Throws unsupported-format and invalid-document.
 */
export async function* decodeStream(
  openSource: () => Promise<AsyncIterable<Buffer>>,
  hints: Hints,
  limits: DecodeLimits,
): AsyncGenerator<DecodedPiece> {
  const open = remembering(openSource, segmentUnits);
  const run = <I, O>(task: WorkerTask<I, O>, input: I): Promise<O> => inBounds(task, input, limits);
  const { format, encoding } = await inspect(await open(), hints, (sample) => run(detect, sample));
  const hash = createHash('sha256');
  const total = { bytes: 0, codePoints: 0, blocks: 0 };
  let attributes: Attributes = {};
  let carry: DecoderCarry | undefined;

  const units = isStreamed(format) ? segmentUnits : Infinity;
  const bytes = isStreamed(format) ? await open() : bounded(await open(), limits.maxWholeBytes, mediaTypeOf[format]);
  for await (const { segment, final } of segmentsOf(bytes, encoding, units)) {
    const decoded: SegmentOutput = await run(decodeSegment, { format, segment, carry, final });
    carry = decoded.carry;
    attributes = decoded.attributes ?? attributes;
    hash.update(decoded.text);
    total.bytes += decoded.text.length;
    total.codePoints += decoded.codePoints;
    total.blocks += decoded.blocks;
    yield { text: decoded.text, lines: decoded.lines };
  }

  const summary: DecodedSummary = {
    text_sha256: hash.digest('hex'),
    text_bytes: total.bytes,
    code_points: total.codePoints,
    blocks: total.blocks,
    content_type: mediaTypeOf[format],
    encoding: encoding.name,
    encoding_source: encoding.source,
    attributes,
  };
  yield { text: new Uint8Array(), lines: Buffer.from(summaryLine(summary)), summary };
}

/** Opens the source once if it has at most `mostBytes` and was read to its end. */
function remembering(
  open: () => Promise<AsyncIterable<Buffer>>,
  mostBytes: number,
): () => Promise<AsyncIterable<Buffer>> {
  let whole: Buffer | undefined;
  async function* reading(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const seen: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes <= mostBytes) seen.push(chunk);
      yield chunk;
    }
    if (bytes <= mostBytes) whole = Buffer.concat(seen);
  }
  return async () => (whole === undefined ? reading(await open()) : Readable.from([whole]));
}

/** The characters in segments of about `units`; exactly one, the last, is final. */
async function* segmentsOf(
  bytes: AsyncIterable<Buffer>,
  encoding: Encoding,
  units: number,
): AsyncGenerator<{ readonly segment: string; readonly final: boolean }> {
  const characters = new Characters(encoding.name);
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    const part = characters.next(chunk, false);
    parts.push(part);
    length += part.length;
    if (length < units) continue;
    yield { segment: parts.join(''), final: false };
    parts = [];
    length = 0;
  }
  parts.push(characters.next(new Uint8Array(), true));
  yield { segment: parts.join(''), final: true };
}

async function* bounded(bytes: AsyncIterable<Buffer>, most: number, type: string): AsyncGenerator<Buffer> {
  let seen = 0;
  for await (const chunk of bytes) {
    seen += chunk.length;
    if (seen > most) {
      throw new SluiceError(
        'invalid-document',
        `the document is larger than the ${most} bytes that a ${type} document may have: divide it, or raise decoder.maxWholeBytes`,
      );
    }
    yield chunk;
  }
}

async function inBounds<I, O>(task: WorkerTask<I, O>, input: I, limits: DecodeLimits): Promise<O> {
  try {
    return await runInWorker(task, input, limits);
  } catch (error) {
    if (!(error instanceof WorkerStopped)) throw error;
    const limit = error.why === 'time' ? `took longer than ${limits.timeoutMs / 1000} s` : 'needed too much memory';
    throw new SluiceError('invalid-document', `decoding the document ${limit} and was stopped`, { cause: error });
  }
}
