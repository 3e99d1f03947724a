import { randomUUID } from 'node:crypto';
import type { BusRecord, ConsumerEvents } from '../port.js';
import type { OffsetRange } from './cluster-admin.js';
import type { KafkaConsumer } from './kafka-consumer.js';
import type { FindStartOffsets } from './start-offsets.js';

interface ReadOptions {
  readonly topic: string;
  readonly from: readonly bigint[] | undefined;
  readonly ranges: readonly OffsetRange[];
  /** A consumer in a group of that name, not started. */
  consumer(group: string, findStarts: FindStartOffsets, events: ConsumerEvents): KafkaConsumer;
}

const maxWaitingRecords = 2_000;

/**
 * Reads what a topic holds now, each partition in order. The client fetches only within a group, so this is one of its
 * own that commits nothing; a topic without records costs no group.
 */
export async function* readTopic({ topic, from, ranges, consumer }: ReadOptions): AsyncGenerator<BusRecord> {
  const startOf = (partition: number): bigint => {
    const start = ranges[partition]?.start ?? 0n;
    const wanted = from?.[partition] ?? start;
    return wanted > start ? wanted : start;
  };
  const unread = new Set(ranges.flatMap(({ end }, partition) => (startOf(partition) < end ? [partition] : [])));
  if (unread.size === 0) return;
  const waiting: BusRecord[] = [];
  const state: { failure?: Error; wake: () => void } = { wake: () => undefined };
  const reader = consumer(
    `read-${randomUUID()}`,
    () => Promise.resolve({ startOf: ({ partition }) => startOf(partition), committedOf: () => -1n }),
    {
      assigned: () => undefined,
      revoked: () => undefined,
      records: (partition, records) => {
        const end = ranges[partition.partition]?.end ?? 0n;
        for (const record of records) if (record.offset < end) waiting.push(record);
        if ((records.at(-1)?.offset ?? 0n) + 1n >= end) unread.delete(partition.partition);
        if (!unread.has(partition.partition) || waiting.length > maxWaitingRecords) reader.pause(partition);
        state.wake();
      },
      fatal: (error) => {
        state.failure = error;
        state.wake();
      },
    },
  );
  try {
    await reader.start();
    for (;;) {
      yield* waiting.splice(0);
      if (state.failure !== undefined) throw state.failure;
      if (unread.size === 0 && waiting.length === 0) return;
      const woken = new Promise<void>((resolve) => (state.wake = resolve));
      if (waiting.length > 0) continue;
      for (const partition of unread) reader.resume({ topic, partition });
      await woken;
    }
  } finally {
    await reader.close();
  }
}
