import type { S3Content } from './s3-client.js';
import { S3Error } from './s3-error.js';
import { waitBeforeRetry } from './retrying.js';

/**
 * The bytes of an answer, in full: when the connection breaks, or was given up while the reader took its time, `again`
 * asks for the rest from the given position. Throws when that fails, and after `maxAttempts` answers in a row that
 * brought nothing.
 */
export async function* resumed(
  first: S3Content,
  again: (position: number) => Promise<S3Content>,
  maxAttempts: number,
): AsyncGenerator<Buffer> {
  let content = first;
  let position = 0;
  let failures = 0;
  for (;;) {
    let broken: unknown;
    try {
      for await (const bytes of content.body as AsyncIterable<Buffer>) {
        position += bytes.length;
        failures = 0;
        yield bytes;
      }
    } catch (error) {
      broken = error;
    }
    if (position === first.sizeBytes) return;
    if (++failures >= maxAttempts || position > first.sizeBytes) {
      const message = `an answer of ${first.sizeBytes} bytes ended after ${position}`;
      throw new S3Error('s3:GetObject', undefined, undefined, message, { cause: broken });
    }
    await waitBeforeRetry(failures, 0);
    content = await again(position);
    if (content.etag === first.etag) continue;
    content.body.destroy(); // from a server that passes over If-Match
    throw new S3Error('s3:GetObject', 'PreconditionFailed', 412, 'the blob was replaced while it was read');
  }
}
