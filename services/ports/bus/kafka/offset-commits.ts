import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { translateError } from './broker-errors.js';
import type { CommitOffsets } from './group-session.js';
import type { PartitionFeed } from './partition-feed.js';

interface CommitsOptions {
  readonly group: string;
  readonly inCluster: (topic: string) => string;
  /** Commits with the generation that is current when it is called; undefined while there is none. */
  current(): CommitOffsets | undefined;
  /** Whether the partition is still this consumer's. */
  owns(feed: PartitionFeed): boolean;
}

const giveUpMs = 10_000;
const retryMs = 100;

/** Commits offsets of partitions together, one request at a time, never backwards and never of a lost partition. */
export class OffsetCommits {
  readonly #options: CommitsOptions;
  #wanted = new Map<PartitionFeed, bigint>();
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(options: CommitsOptions) {
    this.#options = options;
  }

  /** Resolves when it is durable or the partition is lost. Throws unavailable. */
  commit(feed: PartitionFeed, nextOffset: bigint): Promise<void> {
    if (nextOffset <= feed.committed) return Promise.resolve();
    if (nextOffset > (this.#wanted.get(feed) ?? -1n)) this.#wanted.set(feed, nextOffset);
    return (this.#next ??= this.#last
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        const wanted = this.#wanted;
        this.#wanted = new Map();
        this.#last = this.#send(wanted);
        return this.#last;
      }));
  }

  async #send(wanted: ReadonlyMap<PartitionFeed, bigint>): Promise<void> {
    const until = performance.now() + giveUpMs;
    for (;;) {
      // The client takes a new generation and tells of it within one turn: at the start of the next, both agree.
      await nextTurn();
      const due = [...wanted].filter(([feed, offset]) => this.#options.owns(feed) && offset > feed.committed);
      if (due.length === 0) return;
      const failure = await this.#attempt(due);
      if (failure === undefined) return;
      if (performance.now() > until) {
        throw translateError(failure, `committing offsets of group "${this.#options.group}"`);
      }
      await delay(retryMs);
    }
  }

  async #attempt(due: readonly (readonly [PartitionFeed, bigint])[]): Promise<Error | undefined> {
    const { current, inCluster } = this.#options;
    const commit = current();
    if (commit === undefined) return new Error('the consumer is not in its group');
    for (const [feed, offset] of due) if (offset > feed.asked) feed.asked = offset;
    const topics = new Map<string, { partition: number; offset: string }[]>();
    for (const [{ topic, partition }, offset] of due) {
      const partitions = topics.get(topic) ?? [];
      topics.set(topic, partitions);
      partitions.push({ partition, offset: String(offset) });
    }
    try {
      await commit({ topics: [...topics].map(([topic, partitions]) => ({ topic: inCluster(topic), partitions })) });
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
    for (const [feed, offset] of due) if (offset > feed.committed) feed.committed = offset;
    return undefined;
  }
}
