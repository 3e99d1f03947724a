import type { ConsumerGroups } from './consumer-groups.js';
import type { DurableLog } from './durable-log.js';
import { MemoryLog } from './memory-log.js';
import type { OffsetTable } from './offset-table.js';
import type { TopicTable } from './topic-table.js';

interface RetentionOptions {
  readonly topics: TopicTable;
  readonly offsets: OffsetTable;
  readonly groups: ConsumerGroups;
  readonly checkMs: number;
  readonly maxReadBytesPerTopic: number;
}

/** So much appended since the last look makes a look worth while before its time. */
const bytesBetweenChecks = 8 * 1024 * 1024;

/**
 * Removes read records that are older than their topic's retention, or that are too many: the store's file, which is
 * mapped into memory, stays small however much passes through. Unread records of log topics are never removed.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #timer: NodeJS.Timeout;
  #pass: Promise<void> | undefined;
  #bytesSinceCheck = 0;
  #stopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), options.checkMs);
    this.#timer.unref();
  }

  appended(log: DurableLog | MemoryLog, bytes: number): void {
    if (log instanceof MemoryLog) this.#trimRequests(log);
    else this.#bytesSinceCheck += bytes;
    if (this.#bytesSinceCheck > bytesBetweenChecks) this.#check();
  }

  /** A group's offset has moved. */
  committed(log: unknown): void {
    if (log instanceof MemoryLog) this.#trimRequests(log);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#pass;
  }

  #check(): void {
    if (this.#stopped) return;
    this.#bytesSinceCheck = 0;
    // A pass that fails (a full disk) is made again at the next look; nothing depends on it.
    this.#pass ??= this.#trimAll()
      .catch(() => undefined)
      .finally(() => {
        this.#pass = undefined;
      });
  }

  async #trimAll(): Promise<void> {
    const { topics, maxReadBytesPerTopic } = this.#options;
    for (const topic of topics.all()) {
      for (const log of topic.logs) {
        if (this.#stopped) return;
        if (log instanceof MemoryLog) this.#trimRequests(log);
        else {
          const before = Date.now() - topic.retentionMs;
          await log.trim(this.#readUpTo(log), before, maxReadBytesPerTopic / topic.partitions);
        }
      }
    }
  }

  #trimRequests(log: MemoryLog): void {
    log.trim(this.#readUpTo(log), Date.now() - this.#options.topics.get(log.topic).retentionMs);
  }

  #readUpTo(log: DurableLog | MemoryLog): bigint {
    const { offsets, groups } = this.#options;
    const read = offsets.readUpTo(log);
    const position = groups.lowestPosition(log);
    return position !== undefined && position < read ? position : read;
  }
}
