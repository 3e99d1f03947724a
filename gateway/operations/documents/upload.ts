import { createHash, randomUUID } from 'node:crypto';
import { SluiceError } from '../../../services/domain/errors.js';
import { blobKeys } from '../../../services/ports/blob-store/keys.js';
import type { Call, GatewayContext } from '../context.js';

/** Raw bytes that stand durably in the blob store. */
export interface Upload {
  readonly id: string;
  readonly key: string;
  /** Lowercase hex sha256. */
  readonly contentHash: string;
  readonly sizeBytes: number;
}

/**
 * Streams bytes into the blob store under a random id, hashing and counting them on the way; nothing is held in memory,
 * and an upload that fails leaves nothing. Throws too-large, deadline-exceeded for a sender gone silent, and what the
 * source throws.
 */
export async function receiveUpload(
  { ports, config }: GatewayContext,
  { caller, signal }: Call,
  body: AsyncIterable<Uint8Array>,
): Promise<Upload> {
  const id = randomUUID();
  const key = blobKeys.source(caller.workspace, id);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const bytes of withoutSilence(body, config.uploadIdleMs)) {
      sizeBytes += bytes.length;
      if (sizeBytes > config.maxUploadBytes) throw tooLarge(config.maxUploadBytes);
      hash.update(bytes);
      yield Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
  };
  await ports.blobStore.putStream(key, counted(), signal);
  return { id, key, contentHash: hash.digest('hex'), sizeBytes };
}

/** Throws too-large if the announced length is over the limit, before a byte is read. */
export function checkAnnouncedLength({ config }: GatewayContext, contentLength: string | undefined): void {
  if (Number(contentLength ?? 0) > config.maxUploadBytes) throw tooLarge(config.maxUploadBytes);
}

const tooLarge = (limit: number): SluiceError =>
  new SluiceError('too-large', `the document is larger than ${limit} bytes: split it, or raise gateway.maxUploadBytes`);

async function* withoutSilence(body: AsyncIterable<Uint8Array>, idleMs: number): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  try {
    yield* untilSilence(iterator, idleMs);
  } finally {
    void iterator.return?.(); // not awaited: it waits for a byte that may never come
  }
}

async function* untilSilence(iterator: AsyncIterator<Uint8Array>, idleMs: number): AsyncGenerator<Uint8Array> {
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new SluiceError('deadline-exceeded', `the upload brought no byte for ${idleMs} ms and was given up`));
      }, idleMs);
    });
    try {
      const next = await Promise.race([iterator.next(), silence]);
      if (next.done === true) return;
      yield next.value;
    } finally {
      clearTimeout(timer);
    }
  }
}
