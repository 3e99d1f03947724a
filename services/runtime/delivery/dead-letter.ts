import type { BusRecord, OutgoingRecord } from '../../ports/bus/port.js';
import { asError, codeOf } from './thrown.js';

const suffix = '.dead-letter';

/** Where the letters of a processor go; the headers of a letter say the rest. */
export const deadLetterTopic = (topic: string, processor: string): string => `${topic}.${processor}${suffix}`;

export const isDeadLetterTopic = (topic: string): boolean => topic.endsWith(suffix);

/** The headers that a dead letter has besides those of its message. */
export const deadLetterHeaders = [
  'original-topic',
  'original-partition',
  'original-offset',
  'original-timestamp',
  'consumer-group',
  'processor',
  'error-code',
  'error-message',
  'error-stack',
  'attempts',
] as const;

type DeadLetterHeader = (typeof deadLetterHeaders)[number];

const maxMessageLength = 2_000;
const maxStackLength = 6_000;

/** The message as it came (key, headers, bytes), with why and where it failed. */
export function deadLetter(
  record: BusRecord,
  failure: { readonly processor: string; readonly thrown: unknown; readonly attempts: number },
): OutgoingRecord {
  const error = asError(failure.thrown);
  const why: Record<DeadLetterHeader, string> = {
    'original-topic': record.topic,
    'original-partition': String(record.partition),
    'original-offset': String(record.offset),
    'original-timestamp': String(record.timestamp),
    'consumer-group': failure.processor,
    processor: failure.processor,
    'error-code': codeOf(failure.thrown),
    'error-message': error.message.slice(0, maxMessageLength),
    'error-stack': (error.stack ?? '').slice(0, maxStackLength),
    attempts: String(failure.attempts),
  };
  return {
    topic: deadLetterTopic(record.topic, failure.processor),
    key: record.key,
    value: record.value,
    headers: { ...record.headers, ...why },
  };
}

/** What a message is published again with: its own headers, and how often it was tried. */
export function headersBeforeDeath(headers: BusRecord['headers']): Readonly<Record<string, string>> {
  const why: readonly string[] = deadLetterHeaders;
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !why.includes(name)));
  return { ...own, attempt: String(Number(own['attempt'] ?? 0) + Number(headers['attempts'] ?? 1)) };
}
