import { setTimeout as delay } from 'node:timers/promises';
import type { TopicPartition } from '../port.js';
import type { PartitionFeed } from './partition-feed.js';
import type { ClusterPartition } from './sticky-assigner.js';

const settleLookMs = 10;

/** The partitions that a consumer has. */
export class PartitionFeeds {
  readonly #feeds = new Map<string, PartitionFeed>();

  all(): readonly PartitionFeed[] {
    return [...this.#feeds.values()];
  }

  get(partition: TopicPartition): PartitionFeed | undefined {
    return this.#feeds.get(nameOf(partition));
  }

  add(feed: PartitionFeed): void {
    this.#feeds.set(nameOf(feed), feed);
  }

  remove(feed: PartitionFeed): void {
    feed.close();
    this.#feeds.delete(nameOf(feed));
  }

  /** What waits here for paused partitions to be resumed. */
  waitingBytes(): number {
    return this.all().reduce((bytes, feed) => bytes + feed.waitingBytes, 0);
  }

  /** All of them; what has been worked on longest comes first. */
  owned(inCluster: (topic: string) => string): readonly ClusterPartition[] {
    const since = ({ busySince }: PartitionFeed): number => busySince ?? Number.MAX_VALUE;
    return this.all()
      .toSorted((a, b) => since(a) - since(b))
      .map(({ topic, partition }): ClusterPartition => [inCluster(topic), partition]);
  }

  /** Resolves within `maxMs`, when everything but long work is committed. */
  async settled(maxMs: number): Promise<void> {
    const until = performance.now() + maxMs;
    const quick = ({ busySince }: PartitionFeed): boolean => busySince !== undefined && busySince > until - 2 * maxMs;
    while (performance.now() < until && this.all().some(quick)) await delay(settleLookMs);
  }
}

export const nameOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;
