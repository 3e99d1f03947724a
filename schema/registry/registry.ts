import type avsc from 'avsc';
import { SluiceError } from '../../services/domain/errors.js';
import { UndecodableError, messageType, type Codec, type MessageName } from '../codec.js';
import { schemas, type Messages, type NewMessages } from '../generated.js';
import { confluentClient, type RegistryAccess } from './confluent-client.js';
import type { RegistryClient } from './registry-client.js';
import { schemaText, selfContained } from './self-contained.js';

const headerBytes = 5;

export interface RegistryOptions extends RegistryAccess {
  /** Register this build's schemas, or only look them up and refuse to start without them. */
  readonly register: boolean;
}

interface Writer {
  readonly type: avsc.Type;
  readonly resolvers: Map<MessageName, ReturnType<avsc.Type['createResolver']>>;
}

/**
 * Confluent framing: 0, the 4-byte id of the writer's schema in a registry, the body. Subjects are the records' full
 * names (RecordNameStrategy). `prepare` throws configuration-invalid when the registry refuses a schema or, without
 * `register`, lacks one; it and decoding throw unavailable when the registry cannot be asked. What has been read once is
 * decoded without it.
 */
export function registryCodec(options: RegistryOptions): Codec {
  const client = confluentClient(options);
  const headers = new Map<MessageName, Buffer>();
  const writers = new Map<number, Writer>();
  const asked = new Map<number, Promise<Writer>>();

  async function prepare(): Promise<void> {
    const ids = await idsOf(client, options);
    for (const [name, id] of ids) {
      const header = Buffer.alloc(headerBytes);
      header.writeInt32BE(id, 1);
      headers.set(name, header);
      writers.set(id, { type: messageType(name), resolvers: new Map() });
    }
  }

  function encode<N extends MessageName>(name: N, value: NewMessages[N]): Buffer {
    const header = headers.get(name);
    if (header === undefined) throw new Error(`the id of ${name} is not known yet: prepare the codec first`);
    return Buffer.concat([header, messageType(name).toBuffer(value)]);
  }

  function decode<N extends MessageName>(name: N, bytes: Buffer): Messages[N] | Promise<Messages[N]> {
    if (bytes.length < headerBytes || bytes[0] !== 0) {
      throw new UndecodableError(`${bytes.length} bytes that do not start with a schema registry's header`);
    }
    const id = bytes.readInt32BE(1);
    const writer = writers.get(id);
    if (writer !== undefined) return read(name, writer, bytes);
    return writerOf(id).then((found) => read(name, found, bytes));
  }

  /** Asks for a schema, once for all who wait for it. */
  function writerOf(id: number): Promise<Writer> {
    const asking =
      asked.get(id) ??
      client
        .find(id)
        .then((type) => {
          if (type === undefined) throw new UndecodableError(`the schema registry knows no Avro schema ${id}`);
          const writer: Writer = { type, resolvers: new Map() };
          writers.set(id, writer);
          return writer;
        })
        .finally(() => asked.delete(id));
    asked.set(id, asking);
    return asking;
  }

  return { prepare, encode, decode };
}

function read<N extends MessageName>(name: N, writer: Writer, bytes: Buffer): Messages[N] {
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

/** The id of every message's schema. */
async function idsOf(
  client: RegistryClient,
  { register, url }: RegistryOptions,
): Promise<ReadonlyMap<MessageName, number>> {
  const ids = new Map<MessageName, number>();
  const missing: string[] = [];
  for (const [name, whole] of selfContained(schemas)) {
    const subject = messageType(name).name ?? name;
    const schema = schemaText(whole);
    const id = register ? await client.register(subject, schema) : await client.lookUp(subject, schema);
    if (typeof id === 'number') ids.set(name, id);
    else if (id === undefined) missing.push(subject);
    else {
      const message = `the schema registry at ${url} refuses ${subject}, which must be compatible (FULL_TRANSITIVE) with all its versions there: ${id.refused}`;
      throw new SluiceError('configuration-invalid', message);
    }
  }
  if (missing.length === 0) return ids;
  throw new SluiceError(
    'configuration-invalid',
    `the schema registry at ${url} lacks the schemas of this release under ${missing.join(', ')}: start once with registry.register, or register them another way`,
  );
}
