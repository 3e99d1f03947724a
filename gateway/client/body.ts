import { open } from 'node:fs/promises';
import type { DocumentBody } from './options.js';

/** The bytes of one attempt; a source that fails keeps its own error, which fetch would hide in another. */
export interface OpenBody {
  readonly bytes: Uint8Array | Blob | AsyncIterable<Uint8Array>;
  failure(): Error | undefined;
  close(): Promise<void>;
}

/** Whether the same bytes can be sent again. */
export const isRepeatable = (body: DocumentBody): boolean =>
  typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob || 'file' in body;

/** Opens a document's bytes for one attempt. Throws what the file system says of a file that cannot be opened. */
export async function openBody(body: DocumentBody): Promise<OpenBody> {
  if (typeof body === 'string') return whole(Buffer.from(body));
  if (body instanceof Uint8Array || body instanceof Blob) return whole(body);
  if (!('file' in body)) return streamed(body, () => Promise.resolve());
  const file = await open(body.file);
  return streamed(file.createReadStream({ autoClose: false }), () => file.close());
}

const whole = (bytes: Uint8Array | Blob): OpenBody => ({
  bytes,
  failure: () => undefined,
  close: () => Promise.resolve(),
});

function streamed(source: AsyncIterable<unknown>, close: () => Promise<void>): OpenBody {
  let failure: Error | undefined;
  const watched = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of source) yield typeof chunk === 'string' ? Buffer.from(chunk) : asBytes(chunk);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw failure;
    }
  };
  return { bytes: watched(), failure: () => failure, close };
}

function asBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError('a document body must yield strings or Uint8Arrays');
}
