import { SluiceError } from '../../../domain/errors.js';
import type { Bus, BusRecord, ConsumerEvents, ConsumerOptions, OutgoingRecord, TopicSettings } from '../port.js';
import { ConsumerGroups } from './consumer-groups.js';
import { EmbeddedConsumer, type ConsumerHome } from './embedded-consumer.js';
import { OffsetTable } from './offset-table.js';
import { partitionOf } from '../partitioner.js';
import { Retention } from './retention.js';
import { openStore } from './store.js';
import { TopicTable, type OpenTopic } from './topic-table.js';
import { Writer } from './writer.js';

export interface EmbeddedBusOptions {
  /** Where the store lives; made if missing. One process at a time owns it. */
  readonly folder: string;
  /** How often read records are looked through for expired ones, in ms. Default 1 min. */
  readonly retentionCheckMs?: number;
  /** Read records beyond this many bytes per topic go before their retention ends. Default 16 MiB. */
  readonly maxReadBytesPerTopic?: number;
}

const sliceLimits = { records: 256, bytes: 1024 * 1024 };

/**
 * The bus of a single process: log topics in an LMDB store, durable across kill -9 and loss of power, request topics
 * in memory. Errors at opening: data-folder-in-use, configuration-invalid, storage-full.
 */
export function createEmbeddedBus(options: EmbeddedBusOptions): Promise<Bus> {
  return new Promise((resolve) => {
    resolve(openBus(options));
  });
}

function openBus(options: EmbeddedBusOptions): Bus {
  const { folder, retentionCheckMs = 60_000, maxReadBytesPerTopic = 16 * 1024 * 1024 } = options;
  const store = openStore(folder);
  const topics = new TopicTable(store);
  const offsets = new OffsetTable(store);
  const groups = new ConsumerGroups(
    (topic) => topics.get(topic).logs,
    (consumer, log) =>
      consumer.options.from === 'end' ? log.end() : (offsets.committed(consumer.options.group, log) ?? log.start()),
  );
  const retention = new Retention({ topics, offsets, groups, checkMs: retentionCheckMs, maxReadBytesPerTopic });
  const writer = new Writer(store, (log, bytes) => {
    groups.wake(log);
    retention.appended(log, bytes);
  });
  let nextPartition = 0;
  let closed = false;

  const assertOpen = (): void => {
    if (closed) throw new SluiceError('unavailable', `the message store in ${folder} is closed`);
  };

  const choosePartition = (topic: OpenTopic, record: OutgoingRecord): number =>
    record.key === null ? nextPartition++ % topic.partitions : partitionOf(record.key, topic.partitions);

  const home: ConsumerHome = {
    async commit(group, log, nextOffset) {
      await offsets.commit(group, log, nextOffset, topics.get(log.topic).class === 'log');
      retention.committed(log);
    },
    leave: (consumer) => {
      groups.leave(consumer);
    },
  };

  return {
    async ensureTopics(wanted: readonly TopicSettings[]) {
      assertOpen();
      await topics.ensure(wanted);
    },
    topics: () => Promise.resolve(topics.describe()),

    async publish(records) {
      assertOpen();
      const timestamp = Date.now();
      await writer.write(
        records.map((record) => {
          const topic = topics.get(record.topic);
          topics.assertFits(topic, record);
          const { key, value, headers } = record;
          return { log: topic.logs[choosePartition(topic, record)], content: { key, value, headers, timestamp } };
        }),
      );
    },

    async consume(consumerOptions: ConsumerOptions, events: ConsumerEvents) {
      assertOpen();
      for (const topic of consumerOptions.topics) topics.get(topic);
      await offsets.registerReader(consumerOptions);
      const consumer = new EmbeddedConsumer(consumerOptions, events, home);
      groups.join(consumer);
      return consumer;
    },

    endOffsets: async (topic) => Promise.resolve(topics.get(topic).logs.map((log) => log.end())),
    committed: async (group, topic) =>
      Promise.resolve(topics.get(topic).logs.map((log) => offsets.committed(group, log) ?? log.start())),

    async *read(topic, from = []): AsyncIterable<BusRecord> {
      for (const log of topics.get(topic).logs) {
        const end = log.end();
        let position = from[log.partition] ?? log.start();
        while (position < end) {
          assertOpen();
          const records = await Promise.resolve(log.read(position, sliceLimits));
          for (const record of records) if (record.offset < end) yield record;
          const last = records.at(-1);
          if (last === undefined) break;
          position = last.offset + 1n;
        }
      }
    },

    async close() {
      if (closed) return;
      closed = true;
      await retention.stop();
      for (const consumer of groups.all()) await consumer.close();
      await store.close();
    },
  };
}
