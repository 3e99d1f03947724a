import type { ConsumerOptions } from '../port.js';
import type { PartitionLog } from './partition-log.js';
import { put, type Store } from './store.js';

const offsetName = (group: string, log: PartitionLog): string => `${group}\0${log.topic}\0${log.partition}`;

/** Where groups resume, and who reads which topic. Offsets on request topics live as long as the process. */
export class OffsetTable {
  readonly #store: Store;
  readonly #offsets = new Map<string, bigint>();
  readonly #readers = new Map<string, Set<string>>();

  constructor(store: Store) {
    this.#store = store;
    for (const { key, value } of store.offsets.getRange({})) {
      const [group, topic, partition] = key;
      this.#offsets.set(`${group}\0${topic}\0${partition}`, BigInt(value));
    }
    for (const [topic, group] of store.readers.getKeys({})) this.#note(topic, group);
  }

  committed(group: string, log: PartitionLog): bigint | undefined {
    return this.#offsets.get(offsetName(group, log));
  }

  async commit(group: string, log: PartitionLog, nextOffset: bigint, durable: boolean): Promise<void> {
    if (durable) {
      await this.#store.commits.write(100, () => {
        put(this.#store.offsets, [group, log.topic, log.partition], String(nextOffset));
      });
    }
    this.#offsets.set(offsetName(group, log), nextOffset);
  }

  /** Remembers, durably, that a group reads these topics: from now on its unread records are kept. */
  async registerReader({ group, topics, from }: ConsumerOptions): Promise<void> {
    const name = from === 'end' ? '' : group;
    const unknown = topics.filter((topic) => this.#readers.get(topic)?.has(name) !== true);
    if (unknown.length === 0) return;
    await this.#store.commits.write(unknown.length * 100, () => {
      for (const topic of unknown) put(this.#store.readers, [topic, name], '');
    });
    for (const topic of unknown) this.#note(topic, name);
  }

  /**
   * Records below this offset have been read: committed by every group that ever consumed the topic. Inboxes read at
   * once, so a topic that only they read is read up to its end; one that nobody ever read is not read at all.
   */
  readUpTo(log: PartitionLog): bigint {
    const readers = this.#readers.get(log.topic) ?? new Set();
    if (readers.size === 0) return log.start();
    let lowest = log.end();
    for (const group of readers) {
      if (group === '') continue;
      const offset = this.committed(group, log) ?? log.start();
      if (offset < lowest) lowest = offset;
    }
    return lowest;
  }

  #note(topic: string, group: string): void {
    this.#readers.set(topic, (this.#readers.get(topic) ?? new Set()).add(group));
  }
}
