import { SluiceError } from '../../../domain/errors.js';
import type { Consumer, ConsumerEvents, ConsumerOptions, TopicPartition } from '../port.js';
import type { PartitionLog, ReadLimits } from './partition-log.js';

/** One slice holds this much at most; the owner may pause between two slices. */
const sliceLimits: ReadLimits = { records: 256, bytes: 1024 * 1024 };

interface Assignment {
  readonly log: PartitionLog;
  position: bigint;
  paused: boolean;
}

/** What a consumer needs of the bus it belongs to. */
export interface ConsumerHome {
  /** Durable on log topics when it resolves. */
  commit(group: string, log: PartitionLog, nextOffset: bigint): Promise<void>;
  leave(consumer: EmbeddedConsumer): void;
}

/** Hands the records of its partitions to its owner, a slice of one partition per turn of the event loop. */
export class EmbeddedConsumer implements Consumer {
  readonly #assignments = new Map<PartitionLog, Assignment>();
  #closed = false;
  #scheduled = false;

  constructor(
    readonly options: ConsumerOptions,
    readonly events: ConsumerEvents,
    readonly home: ConsumerHome,
  ) {}

  logs(): readonly PartitionLog[] {
    return [...this.#assignments.keys()];
  }

  /** How far an assigned partition has been handed over. */
  position(log: PartitionLog): bigint | undefined {
    return this.#assignments.get(log)?.position;
  }

  assign(gained: readonly { readonly log: PartitionLog; readonly position: bigint }[]): void {
    if (gained.length === 0) return;
    for (const { log, position } of gained) this.#assignments.set(log, { log, position, paused: false });
    this.events.assigned(gained.map(({ log: { topic, partition } }) => ({ topic, partition })));
    this.wake();
  }

  revoke(lost: readonly PartitionLog[]): void {
    if (lost.length === 0) return;
    for (const log of lost) this.#assignments.delete(log);
    this.events.revoked(lost.map(({ topic, partition }) => ({ topic, partition })));
  }

  /** There may be something to read. */
  wake(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#handOver();
    });
  }

  pause(partition: TopicPartition): void {
    const assignment = this.#find(partition);
    if (assignment !== undefined) assignment.paused = true;
  }

  resume(partition: TopicPartition): void {
    const assignment = this.#find(partition);
    if (assignment?.paused !== true) return;
    assignment.paused = false;
    this.wake();
  }

  async commit(partition: TopicPartition, nextOffset: bigint): Promise<void> {
    const assignment = this.#find(partition);
    if (assignment === undefined || this.#closed) return;
    await this.home.commit(this.options.group, assignment.log, nextOffset);
  }

  joined(): boolean {
    return !this.#closed;
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.home.leave(this);
      this.#assignments.clear();
    }
    return Promise.resolve();
  }

  #find({ topic, partition }: TopicPartition): Assignment | undefined {
    for (const assignment of this.#assignments.values()) {
      if (assignment.log.partition === partition && assignment.log.topic === topic) return assignment;
    }
    return undefined;
  }

  #handOver(): void {
    if (this.#closed) return;
    const next = [...this.#assignments.values()].find(({ log, position, paused }) => !paused && position < log.end());
    if (next === undefined) return;
    const { topic, partition } = next.log;
    try {
      if (this.options.from === 'committed' && next.position < next.log.start()) {
        throw new SluiceError(
          'internal',
          `group ${this.options.group} is to resume ${topic}/${partition} at offset ${next.position}, but the log ` +
            `starts at ${next.log.start()}: the store was changed from outside; restore it from a backup`,
        );
      }
      const records = next.log.read(next.position, sliceLimits);
      const last = records.at(-1);
      next.position = last === undefined ? next.log.end() : last.offset + 1n;
      // To the back of the line, so that a busy partition does not starve the others.
      this.#assignments.delete(next.log);
      this.#assignments.set(next.log, next);
      if (records.length > 0) this.events.records({ topic, partition }, records);
    } catch (error) {
      void this.close();
      this.events.fatal(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.wake();
  }
}
