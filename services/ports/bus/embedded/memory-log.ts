import type { BusRecord } from '../port.js';
import type { PartitionLog, ReadLimits } from './partition-log.js';
import type { RecordContent } from './record-frame.js';

/** One partition of a request topic: what it holds is lost with the process, as its askers are. */
export class MemoryLog implements PartitionLog {
  #records: BusRecord[] = [];
  #start = 0n;
  #bytes = 0;

  constructor(
    readonly topic: string,
    readonly partition: number,
  ) {}

  start(): bigint {
    return this.#start;
  }

  end(): bigint {
    return this.#start + BigInt(this.#records.length);
  }

  bytes(): number {
    return this.#bytes;
  }

  append(content: RecordContent): void {
    const { topic, partition } = this;
    this.#records.push({ topic, partition, offset: this.end(), ...content });
    this.#bytes += content.value.length;
  }

  read(from: bigint, limits: ReadLimits): readonly BusRecord[] {
    const index = from < this.#start ? 0 : Number(from - this.#start);
    const records: BusRecord[] = [];
    let bytes = 0;
    for (const record of this.#records.slice(index, index + limits.records)) {
      records.push(record);
      bytes += record.value.length;
      if (bytes >= limits.bytes) break;
    }
    return records;
  }

  /** Drops records below `limit`, and those older than `before` (epoch ms). */
  trim(limit: bigint, before: number): void {
    let count = 0;
    for (const record of this.#records) {
      if (record.offset >= limit && record.timestamp >= before) break;
      this.#bytes -= record.value.length;
      count++;
    }
    this.#records.splice(0, count);
    this.#start += BigInt(count);
  }
}
