import type { TopicClass } from '../../../../schema/topics.js';
import { SluiceError } from '../../../domain/errors.js';
import type {
  Bus,
  BusRecord,
  Consumer,
  ConsumerEvents,
  ConsumerOptions,
  OutgoingRecord,
  TopicDescription,
  TopicPartition,
  TopicSettings,
} from '../port.js';
import { isUnknownTopic, noSuchTopic } from './broker-errors.js';
import { brokerFeatures } from './broker-features.js';
import { ClusterAdmin, type OffsetRange } from './cluster-admin.js';
import { ensureTopics } from './ensure-topics.js';
import { createKafkaClient, type KafkaClient, type KafkaSettings, type Warn } from './kafka-client.js';
import { KafkaConsumer } from './kafka-consumer.js';
import { KafkaPublisher } from './kafka-publisher.js';
import { namesWith, type Names } from './names.js';
import { readTopic } from './read-topic.js';
import { resizeTopic, type ResizeOptions } from './resize-topic.js';
import { fromCommitted, fromEnd, lost, type FindStartOffsets } from './start-offsets.js';
import { throttled } from './throttled-warn.js';
import { TopicFactsCache } from './topic-facts.js';

export interface KafkaBusOptions extends KafkaSettings {
  /** Hears of what goes wrong on the way to the brokers and is tried again. */
  readonly warn?: Warn;
}

/** The bus, and what only Kafka has. */
export interface KafkaBus extends Bus {
  /** The brokers that are there now, each as host:port. Throws unavailable. */
  brokers(): Promise<readonly string[]>;
  /** The highest level of each feature that the brokers support, by its name. Throws unavailable. */
  features(): Promise<ReadonlyMap<string, number>>;
  /** Gives a topic more partitions once the groups have read all of it. Throws not-found and invalid-argument, too. */
  resizeTopic(options: ResizeOptions): Promise<void>;
}

/** Topics on an Apache Kafka cluster (3.9 or newer). Connects when it is first used. */
export function createKafkaBus(options: KafkaBusOptions): KafkaBus {
  return new BusOnKafka(options);
}

class BusOnKafka implements KafkaBus {
  readonly #settings: KafkaSettings;
  readonly #warn: Warn;
  readonly #client: KafkaClient;
  readonly #names: Names;
  readonly #admin: ClusterAdmin;
  readonly #facts: TopicFactsCache;
  readonly #publisher: KafkaPublisher;
  readonly #consumers = new Set<KafkaConsumer>();
  readonly #classes = new Map<string, TopicClass>();
  #closed: Promise<void> | undefined;

  constructor({ warn: tell = () => undefined, ...settings }: KafkaBusOptions) {
    const warn = throttled(tell);
    const { topicPrefix, producers, heartbeatIntervalMs, sessionTimeoutMs } = settings;
    if (heartbeatIntervalMs * 3 > sessionTimeoutMs) {
      throw new SluiceError(
        'configuration-invalid',
        `kafka.heartbeatIntervalMs is ${heartbeatIntervalMs}: it may be a third of kafka.sessionTimeoutMs ` +
          `(${sessionTimeoutMs}) at most`,
      );
    }
    this.#settings = settings;
    this.#warn = warn;
    this.#client = createKafkaClient(settings, warn);
    this.#names = namesWith(topicPrefix);
    this.#admin = new ClusterAdmin(this.#client);
    this.#facts = new TopicFactsCache(this.#admin, (name) => this.#names.ofTopic(name) !== undefined);
    this.#publisher = new KafkaPublisher({
      ...settings,
      client: this.#client,
      names: this.#names,
      facts: this.#facts,
      lanes: producers,
      warn,
    });
  }

  async ensureTopics(topics: readonly TopicSettings[]): Promise<void> {
    this.#assertOpen();
    for (const { name, class: topicClass } of topics) this.#classes.set(name, topicClass);
    const { replicationFactor } = this.#settings;
    await ensureTopics(topics, { admin: this.#admin, names: this.#names, replicationFactor });
  }

  async topics(): Promise<readonly TopicDescription[]> {
    this.#assertOpen();
    const counts = [...(await this.#admin.partitionCounts())].filter(
      ([name]) => this.#names.ofTopic(name) !== undefined,
    );
    const configs = await this.#admin.configs(counts.map(([name]) => name));
    return counts.map(([nameInCluster, partitions]) => {
      const name = this.#names.ofTopic(nameInCluster) ?? nameInCluster;
      const topicClass = this.#classes.get(name);
      const shown = (configs.get(nameInCluster) ?? []).filter(
        ({ own, name: setting }) => own || shownAlways.has(setting),
      );
      return {
        name,
        partitions,
        settings: {
          ...(topicClass === undefined ? {} : { class: topicClass }),
          ...Object.fromEntries(shown.map(({ name: setting, value }) => [setting, value])),
        },
      };
    });
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    this.#assertOpen();
    await this.#publisher.publish(records);
  }

  async consume({ group, topics, from }: ConsumerOptions, events: ConsumerEvents): Promise<Consumer> {
    this.#assertOpen();
    const common = { admin: this.#admin, names: this.#names };
    const findStarts =
      from === 'end'
        ? fromEnd(common)
        : fromCommitted({ ...common, group, mayExpire: (topic) => this.#classes.get(topic) === 'request' });
    const consumer = this.#consumer(group, topics, findStarts, from === 'end', events);
    await consumer.start();
    this.#consumers.add(consumer);
    return consumer;
  }

  async endOffsets(topic: string): Promise<readonly bigint[]> {
    return (await this.#offsets(topic)).map(({ end }) => end);
  }

  async committed(group: string, topic: string): Promise<readonly bigint[]> {
    this.#assertOpen();
    const committed = await this.#admin.committed(this.#names.inCluster(group), this.#names.inCluster(topic));
    if (committed.every((offset) => offset >= 0n)) return committed;
    return (await this.#offsets(topic)).map(({ start }, partition) => {
      const offset = committed[partition] ?? -1n;
      return offset < 0n ? start : offset;
    });
  }

  async *read(topic: string, from?: readonly bigint[]): AsyncGenerator<BusRecord> {
    yield* readTopic({
      topic,
      from,
      ranges: await this.#offsets(topic),
      consumer: (group, findStarts, events) => this.#consumer(group, [topic], findStarts, false, events),
    });
  }

  brokers(): Promise<readonly string[]> {
    this.#assertOpen();
    return this.#admin.brokers();
  }

  features(): Promise<ReadonlyMap<string, number>> {
    this.#assertOpen();
    return brokerFeatures(this.#settings);
  }

  async resizeTopic(options: ResizeOptions): Promise<void> {
    this.#assertOpen();
    await resizeTopic(options, { admin: this.#admin, names: this.#names });
    this.#facts.forget();
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    await this.#publisher.close();
    await this.#admin.close();
  }

  #consumer(
    group: string,
    topics: readonly string[],
    findStarts: FindStartOffsets,
    remembersPositions: boolean,
    events: ConsumerEvents,
  ): KafkaConsumer {
    const { sessionTimeoutMs, rebalanceTimeoutMs } = this.#settings;
    return new KafkaConsumer(
      {
        client: this.#client,
        names: this.#names,
        group,
        topics,
        findStarts,
        remembersPositions,
        silenceMs: 2 * (sessionTimeoutMs + rebalanceTimeoutMs),
        warn: this.#warn,
        explainGap: (partition, position) => this.#explainGap(group, partition, position),
      },
      events,
    );
  }

  async #explainGap(group: string, partition: TopicPartition, position: bigint): Promise<SluiceError | undefined> {
    if (this.#classes.get(partition.topic) === 'request') return undefined;
    const range = (await this.#offsets(partition.topic))[partition.partition];
    return range === undefined || range.start <= position ? undefined : lost(group, partition, position, range);
  }

  async #offsets(topic: string): Promise<readonly OffsetRange[]> {
    this.#assertOpen();
    try {
      return await this.#admin.offsets(this.#names.inCluster(topic));
    } catch (error) {
      throw isUnknownTopic(error) ? noSuchTopic(topic, error) : error;
    }
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new SluiceError('unavailable', 'the bus is closed');
  }
}

const shownAlways = new Set(['cleanup.policy', 'retention.ms', 'max.message.bytes']);
