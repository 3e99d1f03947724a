import type { BusRecord, TopicPartition } from '../port.js';
import type { KafkaMessage } from './kafka-client.js';

type Headers = KafkaMessage['headers'];

/** Copies a message out of the buffer of its fetch, which one kept slice would keep in memory as a whole. */
export function toBusRecord({ topic, partition }: TopicPartition, message: KafkaMessage): BusRecord {
  const { key, value, headers, offset, timestamp } = message;
  return {
    topic,
    partition,
    offset: BigInt(offset),
    key: key === null ? null : key.toString(),
    value: value === null ? Buffer.alloc(0) : Buffer.from(value),
    headers: textOf(headers),
    timestamp: Number(timestamp),
  };
}

/** Of a header that comes several times, the last. */
function textOf(headers: Headers): Record<string, string> {
  const text: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined) text[name] = last.toString();
  }
  return text;
}
