import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageType, parseSchemas } from '../../schema/codec.js';
import { crc64Avro } from '../../schema/fingerprint.js';
import { schemas, type Messages } from '../../schema/generated.js';
import { singleObjectCodec } from '../../schema/single-object.js';
import { acceptedDocument, describeCodecContract, isReadable } from '../contracts/codec-contract.js';

const codec = singleObjectCodec();

describeCodecContract('single-object', 10, async () => {
  await codec.prepare();
  return codec;
});

describe('single-object codec', () => {
  it('starts with C3 01 and the little-endian fingerprint of the canonical schema', () => {
    const bytes = codec.encode('Cancellation', { correlation_id: 'x' });
    const canonical =
      '{"name":"sluice.Cancellation","type":"record","fields":[{"name":"correlation_id","type":"string"}]}';
    expect(bytes.subarray(0, 2).toString('hex')).toBe('c301');
    expect(bytes.subarray(2, 10)).toEqual(crc64Avro(canonical));
    expect(bytes.subarray(10)).toEqual(Buffer.from([2, 0x78]));
  });

  it('refuses other framings and unknown schemas', async () => {
    const bytes = codec.encode('DocumentAccepted', acceptedDocument);
    const readable = (frame: Buffer) => isReadable(codec, 'DocumentAccepted', frame);
    expect(await readable(Buffer.concat([Buffer.from([0, 0, 0, 0, 1]), bytes.subarray(10)]))).toBe(false);
    expect(await readable(Buffer.concat([Buffer.from('c301', 'hex'), Buffer.alloc(40)]))).toBe(false);
    expect(() => codec.decode('DocumentAccepted', Buffer.from('c3010102030405060708', 'hex'))).toThrow(
      'unknown schema fingerprint 0102030405060708',
    );
    const foreign = fc.uint8Array({ maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(foreign, async (bytes) => !(await isReadable(codec, 'Reply', Buffer.from(bytes)))),
    );
  });

  it('reads what an earlier release wrote, by its own schema', async () => {
    const earlierSchemas = schemas.map((schema) =>
      schema.name === 'DocumentAccepted'
        ? { ...schema, fields: (schema['fields'] as { name: string }[]).filter(({ name }) => name !== 'source') }
        : schema,
    );
    const earlier = parseSchemas(earlierSchemas);
    const type = earlier.get('DocumentAccepted');
    if (type === undefined) throw new Error('not parsed');
    const header = Buffer.concat([Buffer.from('c301', 'hex'), crc64Avro(JSON.stringify(type.schema()))]);
    const bytes = Buffer.concat([header, type.toBuffer({ ...acceptedDocument, source: 'unknown to it' })]);
    expect(await isReadable(codec, 'DocumentAccepted', bytes)).toBe(false);
    expect(singleObjectCodec([earlier]).decode('DocumentAccepted', bytes)).toEqual(acceptedDocument);
  });
});

describe('the type of vectors', () => {
  it('reads several blocks, with and without their sizes', () => {
    const type = messageType('ChunkEmbeddings');
    const floats = Buffer.from(Float32Array.from([1, 2, 3]).buffer);
    // One vector in two blocks: 2 floats, then -1 with a size of 4 bytes and 1 float.
    const body = Buffer.concat([
      ...[Buffer.from([2, 0x63, 2, 4]), floats.subarray(0, 8), Buffer.from([1, 8]), floats.subarray(8)],
      Buffer.from([0, 0]),
    ]);
    expect(type.fromBuffer(body)).toEqual({ chunk_id: 'c', vectors: [Float32Array.from([1, 2, 3])] });
  });

  it('takes Float32Arrays and nothing else', () => {
    const numbers = { chunk_id: 'c', vectors: [[1, 2]] } as unknown as Messages['ChunkEmbeddings'];
    expect(messageType('ChunkEmbeddings').isValid(numbers)).toBe(false);
  });
});
