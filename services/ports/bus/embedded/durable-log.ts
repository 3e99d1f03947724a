import type { BusRecord } from '../port.js';
import type { PartitionLog, ReadLimits } from './partition-log.js';
import { decodeFrame, encodeFrame, frameCumulativeBytes, frameTimestamp, type RecordContent } from './record-frame.js';
import { offsetOfKey, put, recordKey, remove, type Store } from './store.js';

interface End {
  readonly offset: bigint;
  readonly cumulativeBytes: number;
}

const maxOffset = 0xffff_ffff_ffff_ffffn;
const removalsPerCommit = 1_000;

/** One partition of a log topic in the store. Its newest record is never removed, so its end outlives everything. */
export class DurableLog implements PartitionLog {
  readonly #store: Store;
  readonly #topicId: number;
  #start: bigint;
  #end: End;
  /** What the commit under way will make of `#end`. */
  #next: End;

  constructor(
    store: Store,
    topicId: number,
    readonly topic: string,
    readonly partition: number,
  ) {
    this.#store = store;
    this.#topicId = topicId;
    const start = recordKey(topicId, partition, 0n);
    const end = recordKey(topicId, partition, maxOffset);
    const [first] = store.records.getKeys({ start, end, limit: 1 });
    // Backwards the end of a range does not belong to it, and offset 0 must: the partition is told by the key itself.
    const [newest] = store.records.getRange({ start: end, reverse: true, limit: 1 });
    const last = newest !== undefined && newest.key.compare(start) >= 0 ? newest : undefined;
    this.#end =
      last === undefined
        ? { offset: 0n, cumulativeBytes: 0 }
        : { offset: offsetOfKey(last.key) + 1n, cumulativeBytes: frameCumulativeBytes(last.value) };
    this.#start = first === undefined ? this.#end.offset : offsetOfKey(first);
    this.#next = this.#end;
  }

  start(): bigint {
    return this.#start;
  }

  end(): bigint {
    return this.#end.offset;
  }

  /** Within a commit: writes the record behind those before it. */
  append(content: RecordContent): void {
    const { offset, cumulativeBytes } = this.#next;
    const frame = encodeFrame(content, cumulativeBytes);
    put(this.#store.records, recordKey(this.#topicId, this.partition, offset), frame);
    this.#next = { offset: offset + 1n, cumulativeBytes: cumulativeBytes + frame.length };
  }

  /** Readers see what the commit wrote, or its offsets are given again. */
  settle(committed: boolean): void {
    if (committed) this.#end = this.#next;
    else this.#next = this.#end;
  }

  read(from: bigint, limits: ReadLimits): readonly BusRecord[] {
    const records: BusRecord[] = [];
    let bytes = 0;
    const range = this.#store.records.getRange({
      start: recordKey(this.#topicId, this.partition, from),
      end: recordKey(this.#topicId, this.partition, this.#end.offset),
      limit: limits.records,
    });
    for (const entry of range) {
      const { key, value, headers, timestamp } = decodeFrame(entry.value);
      records.push({
        topic: this.topic,
        partition: this.partition,
        offset: offsetOfKey(entry.key),
        key,
        value,
        headers,
        timestamp,
      });
      bytes += entry.value.length;
      if (bytes >= limits.bytes) break;
    }
    return records;
  }

  /**
   * Removes records from the start on: below `limit`, and older than `before` (epoch ms) or, oldest first, as long as
   * more than `keepBytes` below `limit` would stay.
   */
  async trim(limit: bigint, before: number, keepBytes: number): Promise<void> {
    const last = this.#end.offset - 1n;
    const stop = limit < last ? limit : last;
    if (this.#start >= stop) return;
    const excessAt = this.#cumulative(stop - 1n) - keepBytes;
    while (this.#start < stop) {
      const doomed: bigint[] = [];
      const range = this.#store.records.getRange({
        start: recordKey(this.#topicId, this.partition, this.#start),
        end: recordKey(this.#topicId, this.partition, stop),
        limit: removalsPerCommit,
      });
      for (const entry of range) {
        if (frameTimestamp(entry.value) >= before && frameCumulativeBytes(entry.value) > excessAt) break;
        doomed.push(offsetOfKey(entry.key));
      }
      const end = doomed.at(-1);
      if (end === undefined) return;
      await this.#store.commits.write(doomed.length * 100, () => {
        for (const offset of doomed) remove(this.#store.records, recordKey(this.#topicId, this.partition, offset));
      });
      this.#start = end + 1n;
      if (doomed.length < removalsPerCommit) return;
    }
  }

  #cumulative(offset: bigint): number {
    const frame = this.#store.records.get(recordKey(this.#topicId, this.partition, offset));
    if (frame === undefined) throw new Error(`record ${this.topic}/${this.partition}/${offset} is gone`);
    return frameCumulativeBytes(frame);
  }
}
