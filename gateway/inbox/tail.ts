import type { Logger } from 'pino';
import type { Codec, MessageName } from '../../schema/codec.js';
import type { Messages } from '../../schema/generated.js';
import type { Topic } from '../../schema/topics.js';
import type { Bus, BusRecord, Consumer } from '../../services/ports/bus/port.js';

/** What reads a topic's end and keeps no place in it: every instance of the gateway sees every message. */
export interface Tail {
  joined(): boolean;
  close(): Promise<void>;
}

/** Reads a topic from its end in a group of its own. Messages are handed over in order; unreadable ones are logged. */
export async function tailTopic<N extends MessageName>(options: {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly log: Logger;
  readonly topic: Topic<N>;
  readonly group: string;
  /** Whether to decode a record at all. */
  wants(record: BusRecord): boolean;
  receive(message: Messages[N], record: BusRecord): void;
  /** The topic cannot be read any more. */
  onFatal(error: Error): void;
}): Promise<Tail> {
  const { bus, log, topic, group } = options;
  let handling: Promise<void> = Promise.resolve();
  const consumer: Consumer = await bus.consume(
    { group, topics: [topic.name], from: 'end' },
    {
      assigned: () => undefined,
      revoked: () => undefined,
      records: (_partition, records) => {
        // One after the other, since a codec may have to ask a registry for a schema.
        handling = handling.then(() => handleAll(records));
      },
      fatal: (error) => {
        options.onFatal(error);
      },
    },
  );
  const handleAll = async (records: readonly BusRecord[]): Promise<void> => {
    for (const record of records.filter((candidate) => options.wants(candidate))) {
      try {
        options.receive(await decode(options.codec, topic.message, record.value), record);
      } catch (error) {
        log.warn({ err: error, topic: record.topic, offset: String(record.offset) }, 'dropped an unreadable message');
      }
    }
  };
  return { joined: () => consumer.joined(), close: () => consumer.close() };
}

const decode = async <N extends MessageName>(codec: Codec, name: N, bytes: Buffer): Promise<Messages[N]> =>
  codec.decode(name, bytes);
