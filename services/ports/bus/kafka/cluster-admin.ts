import { setTimeout as delay } from 'node:timers/promises';
import { SluiceError } from '../../../domain/errors.js';
import { isPassing, translateError } from './broker-errors.js';
import { topicResource, type Admin, type KafkaClient } from './kafka-client.js';

/** Names here are those in the cluster. Offsets come by partition number. */
export interface OffsetRange {
  /** Of the first record that is still there. */
  readonly start: bigint;
  /** Of the record that comes next. */
  readonly end: bigint;
}

export interface TopicConfig {
  readonly name: string;
  readonly value: string;
  /** Set for this very topic, not taken from the brokers. */
  readonly own: boolean;
}

export interface NewTopic {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly configs: Readonly<Record<string, string>>;
}

const ownConfigSource = 1;
const maxAttempts = 6;
const maxStumbles = 3;
const retryMs = 50;
const visibleMs = 10_000;
const closeMs = 5_000;

interface Connection {
  readonly admin: Admin;
  readonly connected: Promise<void>;
  users: number;
  retired: boolean;
}

/** Asks and tells the brokers about topics and groups. Errors: SluiceError `unavailable`. */
export class ClusterAdmin {
  readonly #client: KafkaClient;
  #connection: Connection | undefined;
  /** Until they are disconnected. */
  readonly #open = new Set<Connection>();
  #closed = false;
  #allGone: () => void = () => undefined;

  constructor(client: KafkaClient) {
    this.#client = client;
  }

  /** Those that are there now, each as host:port. */
  brokers(): Promise<readonly string[]> {
    return this.#use('asking for the brokers', async (admin) => {
      const { brokers } = await admin.describeCluster();
      return brokers.map(({ host, port }) => `${host}:${port}`);
    });
  }

  /** Partition counts of all topics. */
  partitionCounts(): Promise<ReadonlyMap<string, number>> {
    return this.#use('listing topics', async (admin) => {
      const { topics } = await admin.fetchTopicMetadata();
      return new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
    });
  }

  configs(topics: readonly string[]): Promise<ReadonlyMap<string, readonly TopicConfig[]>> {
    if (topics.length === 0) return Promise.resolve(new Map());
    return this.#use('reading the settings of topics', async (admin) => {
      const { resources } = await admin.describeConfigs({
        resources: topics.map((name) => ({ type: topicResource, name })),
        includeSynonyms: false,
      });
      return new Map(
        resources.map(({ resourceName, configEntries }) => [
          resourceName,
          configEntries.map(({ configName, configValue, configSource }) => ({
            name: configName,
            value: configValue,
            own: configSource.valueOf() === ownConfigSource,
          })),
        ]),
      );
    });
  }

  /** False: one of them is there already. */
  async create(topics: readonly NewTopic[]): Promise<boolean> {
    const created = await this.#use(`creating ${topics.map(({ topic }) => topic).join(', ')}`, (admin) =>
      admin.createTopics({
        // The client takes a topic that brokers have not heard of yet for a failure.
        waitForLeaders: false,
        topics: topics.map(({ topic, partitions, replicationFactor, configs }) => ({
          topic,
          numPartitions: partitions,
          replicationFactor,
          configEntries: Object.entries(configs).map(([name, value]) => ({ name, value })),
        })),
      }),
    );
    const until = performance.now() + visibleMs;
    for (;;) {
      const known = await this.partitionCounts();
      if (topics.every(({ topic }) => known.has(topic)) || performance.now() > until) return created;
      await delay(retryMs);
    }
  }

  /** Replaces all settings of the topic's own. */
  async replaceConfigs(topic: string, configs: ReadonlyMap<string, string>): Promise<void> {
    await this.#use(`changing the settings of "${topic}"`, async (admin) => {
      await admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: topicResource,
            name: topic,
            configEntries: [...configs].map(([name, value]) => ({ name, value })),
          },
        ],
      });
    });
  }

  async addPartitions(topic: string, count: number): Promise<void> {
    await this.#use(`adding partitions to "${topic}"`, (admin) =>
      admin.createPartitions({ topicPartitions: [{ topic, count }] }),
    );
    // What it remembers of the topic is wrong now.
    this.#retire(this.#connection);
  }

  offsets(topic: string): Promise<readonly OffsetRange[]> {
    return this.#use(`reading the offsets of "${topic}"`, async (admin) => {
      const ranges: OffsetRange[] = [];
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        ranges[partition] = { start: BigInt(low), end: BigInt(high) };
      }
      return ranges;
    });
  }

  /** Negative where nothing has been committed. */
  committed(groupId: string, topic: string): Promise<readonly bigint[]> {
    return this.#use(`reading the offsets of group "${groupId}"`, async (admin) => {
      const offsets: bigint[] = [];
      for (const { partitions } of await admin.fetchOffsets({ groupId, topics: [topic] })) {
        for (const { partition, offset } of partitions) offsets[partition] = BigInt(offset);
      }
      return offsets;
    });
  }

  /**
   * Waits for the calls under way, if they end soon: a client that is disconnected during a call tries the call again,
   * connects anew for that, and stays connected for ever.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#retire(this.#connection);
    if (this.#open.size === 0) return;
    const gone = new Promise<void>((resolve) => {
      this.#allGone = resolve;
    });
    await Promise.race([gone, delay(closeMs, undefined, { ref: false })]);
    await Promise.all([...this.#open].map(({ admin }) => admin.disconnect().catch(() => undefined)));
  }

  async #use<T>(doing: string, work: (admin: Admin) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#try(work);
      } catch (error) {
        // The client trips over its own feet where a topic has just been made, or no broker answers.
        const stumbled = error instanceof TypeError;
        const again = (isPassing(error) && attempt < maxAttempts) || (stumbled && attempt < maxStumbles);
        if (again && !this.#closed) {
          await delay(retryMs * 2 ** attempt);
          continue;
        }
        const cause = stumbled ? new Error('no broker answers', { cause: error }) : error;
        throw translateError(cause, doing);
      }
    }
  }

  async #try<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    if (this.#closed) throw new SluiceError('unavailable', 'the bus is closed');
    const connection = (this.#connection ??= this.#connect());
    connection.users++;
    try {
      await connection.connected;
      return await work(connection.admin);
    } catch (error) {
      // A client that has seen a deleted topic asks for it for ever: the next call gets a new one.
      this.#retire(connection);
      throw error;
    } finally {
      connection.users--;
      this.#disconnectUnused(connection);
    }
  }

  #connect(): Connection {
    const admin = this.#client.admin();
    const connected = admin.connect();
    connected.catch(() => undefined);
    const connection = { admin, connected, users: 0, retired: false };
    this.#open.add(connection);
    return connection;
  }

  #retire(connection: Connection | undefined): void {
    if (connection === undefined) return;
    if (this.#connection === connection) this.#connection = undefined;
    connection.retired = true;
    this.#disconnectUnused(connection);
  }

  #disconnectUnused(connection: Connection): void {
    if (!connection.retired || connection.users > 0) return;
    void connection.admin
      .disconnect()
      .catch(() => undefined)
      .then(() => {
        this.#open.delete(connection);
        if (this.#open.size === 0) this.#allGone();
      });
  }
}
