import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { UndecodableError, messageTypes, type Codec, type MessageName } from '../../schema/codec.js';
import type { Messages } from '../../schema/generated.js';
import { arbitraryMessage } from '../schema/arbitrary-message.js';

const names = [...messageTypes.keys()] as MessageName[];

/** A message of the contract and of the codecs' own tests. */
export const acceptedDocument = {
  ...{ workspace: 'acme', collection: 'handbook', document_id: 'a.md', version: 1, version_hash: 'f'.repeat(64) },
  ...{ upload_id: 'u1', content_type: null, source: null, text_of: null },
};

/** Decoding must end in a message or in UndecodableError, whatever the bytes. */
export async function isReadable(codec: Codec, name: MessageName, bytes: Buffer): Promise<boolean> {
  try {
    await codec.decode(name, bytes);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(UndecodableError);
    return false;
  }
}

/** What every codec must hold to. `prepared` gives one that is ready; its frames put `headerBytes` before the body. */
export function describeCodecContract(name: string, headerBytes: number, prepared: () => Promise<Codec>): void {
  describe(`codec contract: ${name}`, () => {
    let codec: Codec;
    beforeAll(async () => {
      codec = await prepared();
    });
    const readable = (message: MessageName, bytes: Buffer) => isReadable(codec, message, bytes);

    it.each(names)('gives %s back as it was', async (message) => {
      await fc.assert(
        fc.asyncProperty(arbitraryMessage(message), async (value) => {
          const bytes = codec.encode(message, value);
          expect(await codec.decode(message, bytes)).toEqual(value);
        }),
        { numRuns: 40 },
      );
    });

    it('fills in what a producer leaves out', async () => {
      const { content_type, source, ...least } = acceptedDocument;
      expect([content_type, source]).toEqual([null, null]);
      const bytes = codec.encode('DocumentAccepted', least);
      expect(await codec.decode('DocumentAccepted', bytes)).toEqual(acceptedDocument);
    });

    it('refuses to encode a message that lacks something', () => {
      const bad = { workspace: 'acme' } as unknown as Messages['DocumentAccepted'];
      expect(() => codec.encode('DocumentAccepted', bad)).toThrow(/invalid/);
    });

    it('refuses every truncation, and bytes after the end', async () => {
      const bytes = codec.encode('DocumentAccepted', acceptedDocument);
      for (let length = 0; length < bytes.length; length++) {
        expect(await readable('DocumentAccepted', bytes.subarray(0, length)), String(length)).toBe(false);
      }
      expect(await readable('DocumentAccepted', Buffer.concat([bytes, Buffer.alloc(1)]))).toBe(false);
    });

    it('refuses foreign bytes and other messages', async () => {
      expect(await readable('DocumentAccepted', Buffer.from('{"workspace":"acme"}'))).toBe(false);
      expect(await readable('Purge', codec.encode('DocumentAccepted', acceptedDocument))).toBe(false);
      const foreign = fc.uint8Array({ maxLength: 60 }).filter(([first]) => first !== 0);
      await fc.assert(fc.asyncProperty(foreign, async (bytes) => !(await readable('Reply', Buffer.from(bytes)))));
    });

    it.each(names)('survives broken bytes in the body of %s', async (message) => {
      const [value] = fc.sample(arbitraryMessage(message), 1) as Messages[typeof message][];
      if (value === undefined) throw new Error('nothing to encode');
      const header = codec.encode(message, value).subarray(0, headerBytes);
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), async (body) => {
          await readable(message, Buffer.concat([header, body]));
        }),
      );
    });

    it('makes no room for an array whose count says more than there are bytes', async () => {
      const bytes = codec.encode('Purge', { ...acceptedDocument, spaces: [] });
      const huge = Buffer.from('feffffffffffff0f', 'hex'); // zigzag of 2^52 or so, where the count 0 stood
      const start = Date.now();
      expect(await readable('Purge', Buffer.concat([bytes.subarray(0, -1), huge]))).toBe(false);
      expect(Date.now() - start).toBeLessThan(1_000);
    });

    describe('vectors', () => {
      const embeddings = (vectors: Float32Array[]) => ({ chunk_id: 'c', vectors });
      const roundTrip = async (vectors: Float32Array[]): Promise<Float32Array[]> =>
        (await codec.decode('ChunkEmbeddings', codec.encode('ChunkEmbeddings', embeddings(vectors)))).vectors;

      it('keep every bit', async () => {
        const bits = fc.uint8Array({ minLength: 0, maxLength: 400 }).map((bytes) => {
          const whole = bytes.slice(0, bytes.length - (bytes.length % 4));
          return new Float32Array(whole.buffer);
        });
        await fc.assert(
          fc.asyncProperty(fc.array(bits, { maxLength: 5 }), async (vectors) => {
            const read = await roundTrip(vectors);
            expect(read.map(({ buffer }) => Buffer.from(buffer))).toEqual(
              vectors.map(({ buffer }) => Buffer.from(buffer)),
            );
          }),
        );
      });

      it('may be views of larger buffers, and are none when read', async () => {
        const whole = Float32Array.from({ length: 12 }, (_, index) => index / 7);
        const [read] = await roundTrip([whole.subarray(3, 7)]);
        expect(read).toEqual(whole.slice(3, 7));
        expect(read?.buffer.byteLength).toBe(16);
      });

      it('are the same bytes as Avro writes for an array of floats', () => {
        const vector = Float32Array.from([1.5, -0, 3e38, 1e-45, Infinity]);
        const body = codec.encode('ChunkEmbeddings', embeddings([vector])).subarray(headerBytes);
        const floats = Buffer.alloc(20);
        vector.forEach((value, index) => floats.writeFloatLE(value, 4 * index));
        expect(body).toEqual(Buffer.concat([Buffer.from([2, 0x63, 2, 10]), floats, Buffer.from([0, 0])]));
      });

      it('pass through a pack of 64 of them, larger than any buffer of the library', async () => {
        const vectors = Array.from({ length: 64 }, (_, row) =>
          Float32Array.from({ length: 384 }, (_, i) => row + i / 384),
        );
        expect(await roundTrip(vectors)).toEqual(vectors);
      });
    });
  });
}
