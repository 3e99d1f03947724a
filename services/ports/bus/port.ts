import type { TopicClass } from '../../../schema/topics.js';

/** A record as it stands on the bus. Header values are UTF-8 strings; `value` is never a view of a larger buffer. */
export interface BusRecord {
  readonly topic: string;
  readonly partition: number;
  /** Consecutive per partition on the embedded bus, ascending on Kafka. */
  readonly offset: bigint;
  readonly key: string | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Epoch ms at which the producer published. */
  readonly timestamp: number;
}

/** A record to be published; its partition follows from the key (none: any). */
export interface OutgoingRecord {
  readonly topic: string;
  readonly key: string | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface TopicSettings {
  readonly name: string;
  readonly class: TopicClass;
  readonly partitions: number;
  readonly retentionMs: number;
  readonly maxMessageBytes?: number;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** What a consumer tells its owner. None of these may throw; all return at once. */
export interface ConsumerEvents {
  /** These partitions are now this consumer's, from their committed offsets on (log) or from their ends (inbox). */
  assigned(partitions: readonly TopicPartition[]): void;
  /** These are no longer: work on them is to be aborted and not committed. */
  revoked(partitions: readonly TopicPartition[]): void;
  /** The next records of one partition, in offset order. They may repeat after a reassignment. */
  records(partition: TopicPartition, records: readonly BusRecord[]): void;
  /** The consumer cannot go on (a committed offset below the log's start, say); the process must end. */
  fatal(error: Error): void;
}

export interface ConsumerOptions {
  readonly group: string;
  readonly topics: readonly string[];
  /** `committed`: resume from the group's offsets, the log's start at first. `end`: an inbox, only what comes from now on. */
  readonly from: 'committed' | 'end';
}

export interface Consumer {
  /** No further records of the partition after those already handed over, until resumed. */
  pause(partition: TopicPartition): void;
  resume(partition: TopicPartition): void;
  /** Durable when it resolves: the group will resume at `nextOffset`. Ignored for a partition that is not ours. */
  commit(partition: TopicPartition, nextOffset: bigint): Promise<void>;
  /** Whether the consumer has joined its group. */
  joined(): boolean;
  close(): Promise<void>;
}

export interface TopicDescription {
  readonly name: string;
  readonly partitions: number;
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Topics, partitions, keys, groups and offsets, with the meaning they have on Kafka. Errors: SluiceError
 * `unavailable` while a broker cannot be reached, `too-large` for a record over the topic's limit.
 */
export interface Bus {
  /** Creates what is missing; refuses an existing topic with other partitions or a smaller message limit. */
  ensureTopics(topics: readonly TopicSettings[]): Promise<void>;
  topics(): Promise<readonly TopicDescription[]>;
  /** Resolves when every record is durable (log) or handed over (request), in the order given per partition. */
  publish(records: readonly OutgoingRecord[]): Promise<void>;
  consume(options: ConsumerOptions, events: ConsumerEvents): Promise<Consumer>;
  /** The offset after the last record of each partition, by partition number. */
  endOffsets(topic: string): Promise<readonly bigint[]>;
  /** Where the group resumes, by partition number; no commit yet = the log's start. */
  committed(group: string, topic: string): Promise<readonly bigint[]>;
  /** Reads a topic's records in no group, from the start, each partition in order: for listings of dead letters. */
  read(topic: string, from?: readonly bigint[]): AsyncIterable<BusRecord>;
  close(): Promise<void>;
}
