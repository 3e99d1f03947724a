import type { Batch, Outgoing } from './publication.js';

const maxBatchRecords = 5_000;

interface Queue {
  readonly topic: string;
  readonly partition: number;
  readonly maxBatchBytes: number;
  records: Outgoing[];
}

/** Records that wait to be sent, in order per partition. */
export class PartitionQueues {
  readonly #queues = new Map<string, Queue>();

  get empty(): boolean {
    return this.#queues.size === 0;
  }

  add(topic: string, partition: number, maxBatchBytes: number, record: Outgoing): void {
    const name = `${topic}/${partition}`;
    const queue = this.#queues.get(name);
    if (queue === undefined) this.#queues.set(name, { topic, partition, maxBatchBytes, records: [record] });
    else queue.records.push(record);
  }

  /** The next batch; the partitions take turns. */
  take(): Batch | undefined {
    const [next] = this.#queues;
    if (next === undefined) return undefined;
    const [name, { topic, partition, maxBatchBytes, records }] = next;
    let bytes = 0;
    let count = 0;
    for (const record of records) {
      if (count > 0 && (bytes + record.bytes > maxBatchBytes || count >= maxBatchRecords)) break;
      bytes += record.bytes;
      count++;
    }
    this.#queues.delete(name);
    const taken = count === records.length ? records : records.slice(0, count);
    if (count < records.length) {
      this.#queues.set(name, { topic, partition, maxBatchBytes, records: records.slice(count) });
    }
    return { topic, partition, records: taken };
  }

  /** Takes out those that have waited since before `time`. */
  takeOlderThan(time: number): readonly Outgoing[] {
    const taken: Outgoing[] = [];
    for (const [name, queue] of this.#queues) {
      const kept = queue.records.findIndex(({ queuedAt }) => queuedAt >= time);
      if (kept === 0) continue;
      taken.push(...queue.records.splice(0, kept === -1 ? queue.records.length : kept));
      if (queue.records.length === 0) this.#queues.delete(name);
    }
    return taken;
  }
}
