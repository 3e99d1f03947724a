import type { BusRecord, TopicPartition } from '../../ports/bus/port.js';

/**
 * Which messages of one assigned partition are unfinished. Only the highest offset below which everything is finished
 * may be committed; records that are read again after a rejoin are known by their offset.
 */
export class PartitionProgress {
  readonly topic: string;
  readonly partition: number;
  /** In offset order; true: finished. */
  readonly #offsets = new Map<bigint, boolean>();
  #floor: bigint | undefined;
  #committed: bigint | undefined;
  #open = 0;
  /** No longer ours: nothing of it is published or committed any more. */
  revoked = false;

  constructor({ topic, partition }: TopicPartition) {
    this.topic = topic;
    this.partition = partition;
  }

  /** Whether the record is new; from now on it is unfinished. */
  begin({ offset }: Pick<BusRecord, 'offset'>): boolean {
    if (this.#offsets.has(offset) || (this.#floor !== undefined && offset < this.#floor)) return false;
    this.#floor ??= offset;
    this.#offsets.set(offset, false);
    this.#open++;
    return true;
  }

  finish(offset: bigint): void {
    if (this.#offsets.get(offset) !== false) return;
    this.#offsets.set(offset, true);
    this.#open--;
    for (const [first, finished] of this.#offsets) {
      if (!finished) break;
      this.#offsets.delete(first);
      this.#floor = first + 1n;
    }
  }

  /** Messages that are not finished. */
  get open(): number {
    return this.#open;
  }

  /** Messages that cannot be committed yet, finished or not. */
  get tracked(): number {
    return this.#offsets.size;
  }

  /** The offset to commit, or undefined if that would change nothing. */
  committable(): bigint | undefined {
    return this.revoked || this.#floor === this.#committed ? undefined : this.#floor;
  }

  committed(nextOffset: bigint): void {
    this.#committed = nextOffset;
  }
}
