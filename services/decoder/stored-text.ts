import { PassThrough } from 'node:stream';
import { once } from 'node:events';
import { isSummary, parseDecodedLine, type DecodedSummary } from '../domain/decoded-text.js';
import { SluiceError } from '../domain/errors.js';
import { blobKeys } from '../ports/blob-store/keys.js';
import type { BlobStore } from '../ports/blob-store/port.js';
import type { DecodedPiece } from './decode-stream.js';

/**
 * Stores a decoded document while it is made: its blocks (with the summary as last line) and its text, which becomes
 * visible after them, so that a text that exists is whole.
 */
export async function storeText(
  blobStore: BlobStore,
  workspace: string,
  versionHash: string,
  pieces: AsyncIterable<DecodedPiece>,
  signal: AbortSignal,
): Promise<DecodedSummary> {
  const lines = new PassThrough({ highWaterMark: 1 << 20 });
  // Its errors are those of the two writes below.
  lines.on('error', () => undefined);
  const blocksStored = blobStore.putStream(blobKeys.blocks(workspace, versionHash), lines, signal);
  blocksStored.catch((error: unknown) => lines.destroy(asError(error)));

  let summary: DecodedSummary | undefined;
  async function* text(): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      summary = piece.summary ?? summary;
      if (lines.destroyed) await blocksStored;
      if (!lines.write(piece.lines)) await once(lines, 'drain', { signal });
      if (piece.text.length > 0) yield Buffer.from(piece.text.buffer, piece.text.byteOffset, piece.text.length);
    }
    lines.end();
    await blocksStored;
  }
  try {
    await blobStore.putStream(blobKeys.text(workspace, versionHash), text(), signal);
  } catch (error) {
    lines.destroy(asError(error));
    await blocksStored.catch(() => undefined);
    throw error;
  }
  if (summary === undefined) throw new SluiceError('internal', 'the text was stored without its summary');
  return summary;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The summary of a text that is stored, or undefined if none is. */
export async function storedSummary(
  blobStore: BlobStore,
  workspace: string,
  versionHash: string,
): Promise<DecodedSummary | undefined> {
  if ((await blobStore.head(blobKeys.text(workspace, versionHash))) === undefined) return undefined;
  const key = blobKeys.blocks(workspace, versionHash);
  const size = (await blobStore.head(key))?.sizeBytes ?? 0;
  // The last line is short unless the front matter is long.
  for (let length = Math.min(size, 4096); length > 0; length = Math.min(size, length * 16)) {
    const end = await tail(blobStore, key, size - length, size);
    const start = end.lastIndexOf('\n', end.length - 2) + 1;
    if (start > 0 || length === size) {
      const line = parseDecodedLine(end.slice(start));
      if (isSummary(line)) return line;
      break;
    }
  }
  throw new SluiceError(
    'internal',
    `the decoded text ${versionHash} has no whole list of blocks beside it: load its document again with force`,
  );
}

async function tail(blobStore: BlobStore, key: string, start: number, end: number): Promise<string> {
  const parts: Buffer[] = [];
  const stream: AsyncIterable<Buffer> | undefined = await blobStore.getStream(key, { start, end });
  if (stream !== undefined) for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
