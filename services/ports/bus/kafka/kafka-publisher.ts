import { SluiceError } from '../../../domain/errors.js';
import { murmur2, partitionOf } from '../partitioner.js';
import type { OutgoingRecord } from '../port.js';
import type { KafkaClient, Warn } from './kafka-client.js';
import type { Names } from './names.js';
import { ProducerLane } from './producer-lane.js';
import { Publication } from './publication.js';
import type { TopicFacts, TopicFactsCache } from './topic-facts.js';

interface PublisherOptions {
  readonly client: KafkaClient;
  readonly names: Names;
  readonly facts: TopicFactsCache;
  readonly lanes: number;
  readonly maxBatchBytes: number;
  readonly publishTimeoutMs: number;
  readonly warn: Warn;
}

/** What a record costs in a batch besides its parts, at most; each header about the half. */
const recordOverheadBytes = 64;
const closeGraceMs = 5_000;

/** Brings records to their partitions over several producers; those of one partition always over the same. */
export class KafkaPublisher {
  readonly #options: PublisherOptions;
  readonly #lanes: readonly ProducerLane[];
  #nextPartition = 0;
  #closed = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#lanes = Array.from({ length: options.lanes }, () => new ProducerLane(options));
  }

  /** As Bus.publish. */
  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    if (records.length === 0) return;
    if (this.#closed) throw new SluiceError('unavailable', 'the bus is closed');
    const { names, facts, maxBatchBytes } = this.#options;
    const topics = await facts.of(new Set(records.map(({ topic }) => names.inCluster(topic))));
    const timestamp = String(Date.now());
    const queuedAt = performance.now();
    const publication = new Publication(records.length);
    const ready = records.map((record) => {
      const topic = names.inCluster(record.topic);
      const known = topics.get(topic) ?? { partitions: 1, maxMessageBytes: Number.POSITIVE_INFINITY };
      const bytes = sizeOf(record);
      assertFits(record, bytes, known);
      const partition = this.#partition(record, known);
      const { key, value, headers } = record;
      return {
        topic,
        partition,
        limit: Math.min(maxBatchBytes, known.maxMessageBytes),
        outgoing: { message: { key, value, headers, partition, timestamp }, bytes, queuedAt, publication },
      };
    });
    for (const { topic, partition, limit, outgoing } of ready) {
      this.#laneOf(topic, partition)?.add(topic, partition, limit, outgoing);
    }
    await publication.done;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#lanes.map((lane) => lane.close(closeGraceMs)));
  }

  #partition({ key }: OutgoingRecord, { partitions }: TopicFacts): number {
    if (key !== null) return partitionOf(key, partitions);
    this.#nextPartition = (this.#nextPartition + 1) % 0x7fffffff;
    return this.#nextPartition % partitions;
  }

  #laneOf(topic: string, partition: number): ProducerLane | undefined {
    return this.#lanes[(murmur2(Buffer.from(topic)) + partition) % this.#lanes.length];
  }
}

function sizeOf({ key, value, headers }: OutgoingRecord): number {
  let bytes = value.length + (key === null ? 0 : Buffer.byteLength(key)) + recordOverheadBytes;
  for (const [name, text] of Object.entries(headers)) bytes += name.length + Buffer.byteLength(text) + 8;
  return bytes;
}

function assertFits({ topic, key, value }: OutgoingRecord, bytes: number, { maxMessageBytes }: TopicFacts): void {
  // Headers and frames may use what the topic allows beyond its limit for messages.
  const own = value.length + (key === null ? 0 : Buffer.byteLength(key));
  if (own <= maxMessageBytes) return;
  throw new SluiceError(
    'too-large',
    `a message of ${bytes} bytes is over the limit of topic "${topic}", ${maxMessageBytes} bytes`,
  );
}
