import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UndecodableError, messageType, messageTypes, parseSchemas, type MessageName } from '../../schema/codec.js';
import { crc64Avro } from '../../schema/fingerprint.js';
import { schemas, type Messages } from '../../schema/generated.js';
import { singleObjectCodec } from '../../schema/single-object.js';
import { arbitraryMessage } from './arbitrary-message.js';

const codec = singleObjectCodec();
const names = [...messageTypes.keys()] as MessageName[];
const accepted = {
  ...{ workspace: 'acme', collection: 'handbook', document_id: 'a.md', version: 1, version_hash: 'f'.repeat(64) },
  ...{ upload_id: 'u1', content_type: null, source: null },
};
/** Decoding must end in a message or in UndecodableError, whatever the bytes. */
const readable = (name: MessageName, bytes: Buffer): boolean => {
  try {
    void codec.decode(name, bytes);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(UndecodableError);
    return false;
  }
};

describe('single-object codec', () => {
  it.each(names)('gives %s back as it was', (name) => {
    fc.assert(
      fc.property(arbitraryMessage(name), (message) => {
        expect(codec.decode(name, codec.encode(name, message as Messages[typeof name]))).toEqual(message);
      }),
      { numRuns: 40 },
    );
  });

  it('starts with C3 01 and the little-endian fingerprint of the canonical schema', () => {
    const bytes = codec.encode('Cancellation', { correlation_id: 'x' });
    const canonical =
      '{"name":"sluice.Cancellation","type":"record","fields":[{"name":"correlation_id","type":"string"}]}';
    expect(bytes.subarray(0, 2).toString('hex')).toBe('c301');
    expect(bytes.subarray(2, 10)).toEqual(crc64Avro(canonical));
    expect(bytes.subarray(10)).toEqual(Buffer.from([2, 0x78]));
  });

  it('fills in what a producer leaves out', () => {
    const { content_type, source, ...least } = accepted;
    expect([content_type, source]).toEqual([null, null]);
    expect(codec.decode('DocumentAccepted', codec.encode('DocumentAccepted', least))).toEqual(accepted);
  });

  it('refuses to encode a message that lacks something', () => {
    const bad = { workspace: 'acme' } as unknown as Messages['DocumentAccepted'];
    expect(() => codec.encode('DocumentAccepted', bad)).toThrow(/invalid/);
  });

  it('refuses every truncation, and bytes after the end', () => {
    const bytes = codec.encode('DocumentAccepted', accepted);
    for (let length = 0; length < bytes.length; length++) {
      expect(readable('DocumentAccepted', bytes.subarray(0, length)), String(length)).toBe(false);
    }
    expect(readable('DocumentAccepted', Buffer.concat([bytes, Buffer.alloc(1)]))).toBe(false);
  });

  it('refuses foreign bytes, other framings, unknown schemas and other messages', () => {
    const bytes = codec.encode('DocumentAccepted', accepted);
    expect(readable('DocumentAccepted', Buffer.from('{"workspace":"acme"}'))).toBe(false);
    expect(readable('DocumentAccepted', Buffer.concat([Buffer.from([0, 0, 0, 0, 1]), bytes.subarray(10)]))).toBe(false);
    expect(readable('DocumentAccepted', Buffer.concat([Buffer.from('c301', 'hex'), Buffer.alloc(40)]))).toBe(false);
    expect(readable('Purge', bytes)).toBe(false);
    expect(() => codec.decode('DocumentAccepted', Buffer.from('c3010102030405060708', 'hex'))).toThrow(
      'unknown schema fingerprint 0102030405060708',
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => !readable('Reply', Buffer.from(bytes))));
  });

  it.each(names)('survives broken bytes in the body of %s', (name) => {
    const header = codec.encode(name, fc.sample(arbitraryMessage(name), 1)[0] as Messages[typeof name]).subarray(0, 10);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (body) => {
        readable(name, Buffer.concat([header, body]));
      }),
    );
  });

  it('makes no room for an array whose count says more than there are bytes', () => {
    const purge = { ...accepted, spaces: [] };
    const bytes = codec.encode('Purge', purge);
    const huge = Buffer.from('feffffffffffff0f', 'hex'); // zigzag of 2^52 or so, where the count 0 stood
    const start = Date.now();
    expect(readable('Purge', Buffer.concat([bytes.subarray(0, -1), huge]))).toBe(false);
    expect(Date.now() - start).toBeLessThan(1_000);
  });

  it('reads what an earlier release wrote, by its own schema', () => {
    const earlierSchemas = schemas.map((schema) =>
      schema.name === 'DocumentAccepted'
        ? { ...schema, fields: (schema['fields'] as { name: string }[]).filter(({ name }) => name !== 'source') }
        : schema,
    );
    const earlier = parseSchemas(earlierSchemas);
    const type = earlier.get('DocumentAccepted');
    if (type === undefined) throw new Error('not parsed');
    const header = Buffer.concat([Buffer.from('c301', 'hex'), crc64Avro(JSON.stringify(type.schema()))]);
    const bytes = Buffer.concat([header, type.toBuffer({ ...accepted, source: 'unknown to it' })]);
    expect(readable('DocumentAccepted', bytes)).toBe(false);
    expect(singleObjectCodec([earlier]).decode('DocumentAccepted', bytes)).toEqual(accepted);
  });
});

describe('vectors', () => {
  const embeddings = (vectors: Float32Array[]) => ({ chunk_id: 'c', vectors });
  const roundTrip = (vectors: Float32Array[]): Float32Array[] =>
    (
      codec.decode(
        'ChunkEmbeddings',
        codec.encode('ChunkEmbeddings', embeddings(vectors)),
      ) as Messages['ChunkEmbeddings']
    ).vectors;

  it('keep every bit', () => {
    const bits = fc.uint8Array({ minLength: 0, maxLength: 400 }).map((bytes) => {
      const whole = bytes.slice(0, bytes.length - (bytes.length % 4));
      return new Float32Array(whole.buffer);
    });
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 5 }), (vectors) => {
        const read = roundTrip(vectors);
        expect(read.map(({ buffer }) => Buffer.from(buffer))).toEqual(vectors.map(({ buffer }) => Buffer.from(buffer)));
      }),
    );
  });

  it('may be views of larger buffers, and are none when read', () => {
    const whole = Float32Array.from({ length: 12 }, (_, index) => index / 7);
    const [read] = roundTrip([whole.subarray(3, 7)]);
    expect(read).toEqual(whole.slice(3, 7));
    expect(read?.buffer.byteLength).toBe(16);
  });

  it('are the same bytes as Avro writes for an array of floats', () => {
    const vector = Float32Array.from([1.5, -0, 3e38, 1e-45, Infinity]);
    const body = codec.encode('ChunkEmbeddings', embeddings([vector])).subarray(10);
    const floats = Buffer.alloc(20);
    vector.forEach((value, index) => floats.writeFloatLE(value, 4 * index));
    expect(body).toEqual(Buffer.concat([Buffer.from([2, 0x63, 2, 10]), floats, Buffer.from([0, 0])]));
  });

  it('are read from several blocks, with and without their sizes', () => {
    const type = messageType('ChunkEmbeddings');
    const floats = Buffer.from(Float32Array.from([1, 2, 3]).buffer);
    // One vector in two blocks: 2 floats, then -1 with a size of 4 bytes and 1 float.
    const body = Buffer.concat([
      ...[Buffer.from([2, 0x63, 2, 4]), floats.subarray(0, 8), Buffer.from([1, 8]), floats.subarray(8)],
      Buffer.from([0, 0]),
    ]);
    expect(type.fromBuffer(body)).toEqual(embeddings([Float32Array.from([1, 2, 3])]));
  });

  it('are Float32Arrays and nothing else', () => {
    const numbers = { chunk_id: 'c', vectors: [[1, 2]] } as unknown as Messages['ChunkEmbeddings'];
    expect(messageType('ChunkEmbeddings').isValid(numbers)).toBe(false);
  });

  it('pass through a pack of 64 of them, larger than any buffer of the library', () => {
    const vectors = Array.from({ length: 64 }, (_, row) => Float32Array.from({ length: 384 }, (_, i) => row + i / 384));
    expect(roundTrip(vectors)).toEqual(vectors);
  });
});
