import type { BusRecord, TopicPartition } from '../port.js';

/** One call hands this much over at most; the owner may pause between two. */
const maxSliceRecords = 256;
const maxSliceBytes = 1024 * 1024;

interface FeedOptions extends TopicPartition {
  handOver(records: readonly BusRecord[]): void;
  pauseFetching(): void;
  resumeFetching(): void;
}

/**
 * The records of one assigned partition, from the fetch to the owner. Fetching is paused only when a fetch has come that
 * the owner does not want yet: a short pause costs nothing, while a paused fetch takes its time to be resumed.
 */
export class PartitionFeed {
  readonly topic: string;
  readonly partition: number;
  /** The highest that this consumer has asked to commit. */
  asked = -1n;
  readonly #options: FeedOptions;
  #position: bigint | undefined;
  #committed = -1n;
  #handedOver = -1n;
  #busySince: number | undefined;
  #waiting: BusRecord[] = [];
  #waitingBytes = 0;
  #paused = false;
  #fetchingPaused = true;
  #handingOver = false;
  #closed = false;

  constructor(options: FeedOptions) {
    this.topic = options.topic;
    this.partition = options.partition;
    this.#options = options;
  }

  /** Where the group would resume, as far as this consumer has brought about or seen. */
  get committed(): bigint {
    return this.#committed;
  }

  set committed(offset: bigint) {
    this.#committed = offset;
    this.#busySince = this.#handedOver > offset ? performance.now() : undefined;
  }

  /** Since when the owner has been at the same records; undefined: it has none. */
  get busySince(): number | undefined {
    return this.#busySince;
  }

  /** The offset that is to be fetched next; undefined until that is known. */
  get position(): bigint | undefined {
    return this.#position;
  }

  get fetchingPaused(): boolean {
    return this.#fetchingPaused;
  }

  get paused(): boolean {
    return this.#paused;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Begins to be fetched. */
  open(position: bigint): void {
    this.#position = position;
    this.#resumeFetching();
  }

  /** What has been fetched; `next` is the offset behind it. */
  take(records: readonly BusRecord[], next: bigint): void {
    this.#position = next;
    for (const record of records) {
      this.#waiting.push(record);
      this.#waitingBytes += record.value.length;
    }
    this.#handOver();
    if (this.#waiting.length > 0) this.holdFetching();
  }

  holdFetching(): void {
    if (this.#fetchingPaused) return;
    this.#fetchingPaused = true;
    this.#options.pauseFetching();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    setImmediate(() => {
      this.#handOver();
    });
  }

  close(): void {
    this.#closed = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #handOver(): void {
    // The owner may pause and resume from within.
    if (this.#handingOver) return;
    this.#handingOver = true;
    try {
      while (!this.#paused && !this.#closed && this.#waiting.length > 0) this.#options.handOver(this.#slice());
    } finally {
      this.#handingOver = false;
    }
    if (this.#waiting.length === 0 && !this.#paused) this.#resumeFetching();
  }

  #slice(): readonly BusRecord[] {
    let bytes = 0;
    let count = 0;
    for (const { value } of this.#waiting) {
      if (count > 0 && (count >= maxSliceRecords || bytes + value.length > maxSliceBytes)) break;
      bytes += value.length;
      count++;
    }
    this.#waitingBytes -= bytes;
    const slice = this.#waiting.splice(0, count);
    this.#handedOver = (slice.at(-1)?.offset ?? -1n) + 1n;
    this.#busySince ??= performance.now();
    return slice;
  }

  #resumeFetching(): void {
    if (!this.#fetchingPaused || this.#closed || this.#position === undefined) return;
    this.#fetchingPaused = false;
    this.#options.resumeFetching();
  }
}
