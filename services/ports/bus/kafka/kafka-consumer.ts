import { setTimeout as delay } from 'node:timers/promises';
import { SluiceError } from '../../../domain/errors.js';
import type { Consumer, ConsumerEvents, TopicPartition } from '../port.js';
import { isUnknownTopic, noSuchTopic, translateError } from './broker-errors.js';
import { toBusRecord } from './bus-record.js';
import { GroupSession, type CommitOffsets, type GroupAssignment } from './group-session.js';
import type { EachBatchPayload, KafkaClient, Warn } from './kafka-client.js';
import type { Names } from './names.js';
import { OffsetCommits } from './offset-commits.js';
import { PartitionFeed } from './partition-feed.js';
import { PartitionFeeds, nameOf } from './partition-feeds.js';
import type { FindStartOffsets } from './start-offsets.js';
import { stickyAssigner } from './sticky-assigner.js';

export interface KafkaConsumerOptions {
  readonly client: KafkaClient;
  readonly names: Names;
  readonly group: string;
  readonly topics: readonly string[];
  readonly findStarts: FindStartOffsets;
  /** Whether a start that was passed is remembered here alone, since nothing is committed. */
  readonly remembersPositions: boolean;
  readonly silenceMs: number;
  readonly warn: Warn;
  /** Records were passed over: why, or undefined if they may be missing. */
  explainGap(partition: TopicPartition, position: bigint): Promise<SluiceError | undefined>;
}

/** Fetched records that wait for paused partitions weigh no more than this and one further fetch. */
const maxWaitingBytes = 8 * 1024 * 1024;
const firstRestartMs = 200;
const maxRestartMs = 2_000;
const retryOpenMs = 300;
const maxSettleMs = 500;

/** A member of a consumer group that outlives the crashes of its client. */
export class KafkaConsumer implements Consumer {
  readonly #options: KafkaConsumerOptions;
  readonly #events: ConsumerEvents;
  readonly #feeds = new PartitionFeeds();
  readonly #passed = new Map<string, bigint>();
  readonly #commits: OffsetCommits;
  #session: GroupSession | undefined;
  #commitOffsets: CommitOffsets | undefined;
  /** Counts joins; what was begun for an earlier one is dropped. */
  #generation = 0;
  #openedGeneration = -1;
  #everOpened = false;
  #closed: Promise<void> | undefined;

  constructor(options: KafkaConsumerOptions, events: ConsumerEvents) {
    this.#options = options;
    this.#events = events;
    this.#commits = new OffsetCommits({
      group: options.group,
      inCluster: options.names.inCluster,
      current: () => this.#commitOffsets ?? (this.joined() ? this.#session?.commit : undefined),
      owns: (feed) => this.#closed === undefined && this.#feeds.get(feed) === feed,
    });
  }

  /** Begins to join. Throws unavailable, and configuration-invalid for a topic that does not exist. */
  async start(): Promise<void> {
    const session = this.#newSession();
    try {
      await session.start();
    } catch (error) {
      const { topics, group } = this.#options;
      if (isUnknownTopic(error)) throw noSuchTopic(topics.join('", "'), error);
      throw translateError(error, `joining group "${group}"`);
    }
    void this.#keepAlive(session);
  }

  pause(partition: TopicPartition): void {
    this.#feeds.get(partition)?.pause();
  }

  resume(partition: TopicPartition): void {
    this.#feeds.get(partition)?.resume();
  }

  async commit(partition: TopicPartition, nextOffset: bigint): Promise<void> {
    const feed = this.#feeds.get(partition);
    if (feed !== undefined && this.#closed === undefined) await this.#commits.commit(feed, nextOffset);
  }

  joined(): boolean {
    return this.#closed === undefined && this.#openedGeneration === this.#generation;
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#leave());
  }

  async #leave(): Promise<void> {
    for (const feed of this.#feeds.all()) this.#feeds.remove(feed);
    await this.#session?.close();
  }

  #newSession(): GroupSession {
    const { client, names, group, topics, silenceMs } = this.#options;
    const session = new GroupSession({
      client,
      groupId: names.inCluster(group),
      topics: topics.map(names.inCluster),
      assigner: stickyAssigner(() => this.#feeds.owned(names.inCluster)),
      silenceMs,
      predecessor: this.#session?.memberId,
      joined: (assignment) => {
        if (this.#session === session) this.#guarded(() => this.#join(assignment));
      },
      batch: (payload) => {
        if (this.#session === session) this.#guarded(() => this.#take(payload));
      },
      settled: () => this.#feeds.settled(maxSettleMs),
    });
    this.#session = session;
    return session;
  }

  async #keepAlive(first: GroupSession): Promise<void> {
    let session = first;
    for (let round = 0; ; round++) {
      const reason = await session.ended;
      if (this.#isClosed()) return;
      // Partitions are kept until the next join tells whether they are lost: what is being handled goes on.
      if (this.#openedGeneration === this.#generation) round = 0;
      this.#openedGeneration = -1;
      this.#commitOffsets = undefined;
      this.#options.warn('a consumer ended, starting it again', { group: this.#options.group, error: String(reason) });
      void session.close();
      await delay(Math.min(maxRestartMs, firstRestartMs * 2 ** Math.min(round, 10)));
      if (this.#isClosed()) return;
      session = this.#newSession();
      await session.start().catch(() => undefined);
    }
  }

  #isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** A new generation: what is lost and what is gained. Called before anything of it is fetched. */
  #join(assignment: GroupAssignment): void {
    if (this.#isClosed()) return;
    this.#generation++;
    const { names } = this.#options;
    const assigned = Object.entries(assignment).flatMap(([nameInCluster, partitions]) => {
      const topic = names.ofTopic(nameInCluster);
      return topic === undefined ? [] : partitions.map((partition) => ({ topic, partition }));
    });
    const kept = new Set(assigned.map(nameOf));
    const lost = this.#feeds.all().filter((feed) => !kept.has(nameOf(feed)));
    for (const feed of lost) this.#drop(feed);
    if (lost.length > 0) this.#events.revoked(lost.map(plain));
    const gained = assigned.filter((partition) => this.#feeds.get(partition) === undefined);
    for (const partition of gained) this.#add(partition);
    for (const feed of this.#feeds.all()) {
      const nameInCluster = names.inCluster(feed.topic);
      if (feed.position !== undefined) this.#session?.seek(nameInCluster, feed.partition, feed.position);
      if (feed.fetchingPaused) this.#session?.pause(nameInCluster, feed.partition);
      else this.#session?.resume(nameInCluster, feed.partition);
    }
    if (gained.length > 0) this.#events.assigned(gained);
    void this.#open(this.#generation);
  }

  #add({ topic, partition }: TopicPartition): void {
    const nameInCluster = this.#options.names.inCluster(topic);
    const feed = new PartitionFeed({
      topic,
      partition,
      handOver: (records) => {
        this.#guarded(() => this.#events.records({ topic, partition }, records));
      },
      pauseFetching: () => this.#session?.pause(nameInCluster, partition),
      resumeFetching: () => this.#session?.resume(nameInCluster, partition),
    });
    this.#feeds.add(feed);
  }

  #drop(feed: PartitionFeed): void {
    if (this.#options.remembersPositions && feed.position !== undefined) {
      this.#passed.set(nameOf(feed), feed.position);
    }
    this.#feeds.remove(feed);
  }

  /** Finds out where the partitions of this generation begin, as often as it takes. */
  async #open(generation: number): Promise<void> {
    const { findStarts, names, group, topics, warn } = this.#options;
    const current = (): boolean => generation === this.#generation && !this.#isClosed();
    while (current()) {
      try {
        const starts = await findStarts(new Set(topics), !this.#everOpened);
        if (!current()) return;
        for (const feed of this.#feeds.all()) {
          const committed = starts.committedOf(feed);
          if (feed.position !== undefined && committed > feed.asked && committed > feed.committed) {
            // Somebody else had it meanwhile and has gone on: what is done here of it is done already.
            this.#drop(feed);
            this.#events.revoked([plain(feed)]);
            this.#add(feed);
            this.#events.assigned([plain(feed)]);
          }
        }
        for (const feed of this.#feeds.all()) {
          if (feed.position !== undefined) continue;
          const position = this.#passed.get(nameOf(feed)) ?? starts.startOf(feed);
          feed.committed = starts.committedOf(feed);
          this.#session?.seek(names.inCluster(feed.topic), feed.partition, position);
          feed.open(position);
        }
        this.#openedGeneration = generation;
        this.#everOpened = true;
        return;
      } catch (error) {
        if (error instanceof SluiceError && error.class === 'unavailable') {
          warn('cannot find out where to begin, trying again', { group, error: error.message });
          await delay(retryOpenMs);
        } else if (current()) {
          this.#fail(error);
        }
      }
    }
  }

  /** What is not taken is fetched again, since its offset is not resolved. */
  #take(payload: EachBatchPayload): void {
    const { batch } = payload;
    const topic = this.#options.names.ofTopic(batch.topic);
    const feed = topic === undefined ? undefined : this.#feeds.get({ topic, partition: batch.partition });
    const position = feed?.position;
    if (this.#isClosed() || feed === undefined || position === undefined || payload.isStale()) return;
    this.#commitOffsets = payload.commitOffsetsIfNecessary;
    if (feed.paused && this.#feeds.waitingBytes() > maxWaitingBytes) {
      feed.holdFetching();
      return;
    }
    const records = batch.messages
      .filter(({ offset }) => BigInt(offset) >= position)
      .map((message) => toBusRecord(feed, message));
    const [first] = records;
    if (first !== undefined && first.offset > position) void this.#explain(feed, position);
    const last = batch.lastOffset();
    payload.resolveOffset(last);
    feed.take(records, BigInt(last) + 1n);
  }

  async #explain(feed: PartitionFeed, position: bigint): Promise<void> {
    const error = await this.#options.explainGap(plain(feed), position).catch(() => undefined);
    if (error !== undefined) this.#fail(error);
  }

  /** What the owner throws must not get into the client. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed()) return;
    void this.close();
    this.#events.fatal(error instanceof Error ? error : new Error(String(error)));
  }
}

const plain = ({ topic, partition }: TopicPartition): TopicPartition => ({ topic, partition });
