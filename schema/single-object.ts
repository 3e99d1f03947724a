import type avsc from 'avsc';
import { UndecodableError, messageType, messageTypes, parseSchemas, type Codec, type MessageName } from './codec.js';
import { crc64Avro } from './fingerprint.js';
import type { Messages, NewMessages } from './generated.js';
import { earlierSchemas } from './released.js';

const magic = Buffer.from([0xc3, 0x01]);
const headerBytes = 10;

interface Writer {
  readonly type: avsc.Type;
  readonly resolvers: Map<MessageName, ReturnType<avsc.Type['createResolver']>>;
}

const headerOf = (type: avsc.Type): Buffer => Buffer.concat([magic, crc64Avro(JSON.stringify(type.schema()))]);

/**
 * Avro single-object encoding: C3 01, the 8-byte CRC-64-AVRO fingerprint of the writer's schema, the body.
 * `earlier` are the schemas of releases whose messages may still be on the bus.
 */
export function singleObjectCodec(
  earlier: readonly ReadonlyMap<string, avsc.Type>[] = earlierSchemas.map(parseSchemas),
): Codec {
  const headers = new Map([...messageTypes].map(([name, type]) => [name, headerOf(type)]));
  const writers = new Map<string, Writer>();
  for (const types of [...earlier, messageTypes]) {
    for (const type of types.values()) {
      writers.set(headerOf(type).toString('latin1'), { type, resolvers: new Map() });
    }
  }

  function encode<N extends MessageName>(name: N, value: NewMessages[N]): Buffer {
    const header = headers.get(name);
    if (header === undefined) throw new Error(`no schema named ${name}`);
    return Buffer.concat([header, messageType(name).toBuffer(value)]);
  }

  function decode<N extends MessageName>(name: N, bytes: Buffer): Messages[N] {
    if (bytes.length < headerBytes || !bytes.subarray(0, 2).equals(magic)) {
      throw new UndecodableError(`${bytes.length} bytes that do not start with an Avro single-object header`);
    }
    const writer = writers.get(bytes.toString('latin1', 0, headerBytes));
    if (writer === undefined) {
      throw new UndecodableError(`unknown schema fingerprint ${bytes.toString('hex', 2, headerBytes)}`);
    }
    const reader = messageType(name);
    try {
      const body = bytes.subarray(headerBytes);
      if (writer.type === reader) return reader.fromBuffer(body) as Messages[N];
      let resolver = writer.resolvers.get(name);
      if (resolver === undefined) {
        resolver = reader.createResolver(writer.type);
        writer.resolvers.set(name, resolver);
      }
      return reader.fromBuffer(body, resolver) as Messages[N];
    } catch (error) {
      throw new UndecodableError(`not a ${name}: ${(error as Error).message}`, { cause: error });
    }
  }

  return { prepare: () => Promise.resolve(), encode, decode };
}
