import { randomUUID } from 'node:crypto';
import { SluiceError } from '../../../domain/errors.js';
import { partsOf } from './parts.js';
import { retrying } from './retrying.js';
import type { S3Client } from './s3-client.js';
import { hasCode } from './s3-error.js';

const mostParts = 10_000;

interface Upload {
  readonly client: S3Client;
  readonly maxAttempts: number;
  readonly partBytes: number;
  /** The server's name of the key. */
  readonly key: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Streams a blob in: as one put when it fits into a part, else as a multipart upload, one part on its way while the next
 * one gathers. Whatever fails, the upload is aborted; if the server cannot be reached for that, it stays among the
 * unfinished ones. Returns the bytes read.
 */
export async function upload(request: Upload, source: AsyncIterable<Buffer>): Promise<number> {
  const { client, key, maxAttempts, partBytes, signal } = request;
  const parts = partsOf(source, partBytes);
  const first = await parts.next();
  const bytes = first.done === true ? Buffer.alloc(0) : first.value;
  if (bytes.length < partBytes) {
    await retrying(maxAttempts, signal, () => client.put(key, bytes, signal));
    return bytes.length;
  }
  return await uploadParts(request, bytes, parts);
}

async function uploadParts(request: Upload, first: Buffer, rest: AsyncGenerator<Buffer>): Promise<number> {
  const { client, key, maxAttempts, partBytes } = request;
  const note = randomUUID();
  const stop = new AbortController();
  const signal = request.signal === undefined ? stop.signal : AbortSignal.any([request.signal, stop.signal]);
  const retry = <T>(attempt: (round: number) => Promise<T>): Promise<T> => retrying(maxAttempts, signal, attempt);

  const uploadId = await retry(() => client.createUpload(key, note, signal));
  const etags: string[] = [];
  let sizeBytes = 0;
  const send = async (bytes: Buffer): Promise<void> => {
    const part = etags.length + 1;
    if (part > mostParts) {
      const most = `${mostParts} parts of ${partBytes} bytes`;
      throw new SluiceError('too-large', `a blob has more than ${most}: raise s3.partBytes to store it`);
    }
    etags.push(await retry(() => client.uploadPart(key, uploadId, part, bytes, signal)));
    sizeBytes += bytes.length;
  };
  let sending = send(first);
  try {
    sending.catch(() => undefined); // awaited below, perhaps only after the source has failed
    for await (const bytes of rest) {
      await sending;
      sending = send(bytes);
      sending.catch(() => undefined);
    }
    await sending;
    await retry((round) => complete(request, uploadId, note, etags, round, signal));
    return sizeBytes;
  } catch (error) {
    // A part that arrives after the abort would stay: none is on its way when it is sent.
    stop.abort();
    await sending.catch(() => undefined);
    await retrying(maxAttempts, undefined, () => client.abortUpload(key, uploadId)).catch(() => undefined);
    throw error;
  }
}

/** Completes the upload; if an earlier attempt did so and its answer was lost, the object bears this upload's note. */
async function complete(
  { client, key }: Upload,
  uploadId: string,
  note: string,
  etags: readonly string[],
  round: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.completeUpload(key, uploadId, etags, signal);
  } catch (error) {
    if (round === 1 || !hasCode(error, 'NoSuchUpload')) throw error;
    const found = await client.head(key).catch(() => undefined);
    if (found?.note !== note) throw error;
  }
}
