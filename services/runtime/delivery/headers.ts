import { uuidOf } from '../../domain/identity.js';
import { headerNames, type MessageHeaders } from '../../../schema/headers.js';
import type { TopicClass } from '../../../schema/topics.js';
import type { BusRecord } from '../../ports/bus/port.js';

/** Every message carries these on to what it causes. */
const inheritedByAll = ['correlation-id', 'workspace', 'flow', 'traceparent'] as const;

/** Only requests carry these on: a deadline or an inbox means an asker who waits, and nobody waits on a log. */
const inheritedByRequests = [...inheritedByAll, 'reply-topic', 'reply-inbox', 'deadline'] as const;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The headers of a record as its handler sees them. A message without an id, from a foreign producer, gets a stable one. */
export function messageHeaders({ topic, partition, offset, headers }: BusRecord): MessageHeaders {
  const known: Partial<Mutable<MessageHeaders>> = {};
  for (const name of headerNames) {
    const value = headers[name];
    if (value !== undefined) known[name] = value;
  }
  return { ...known, 'message-id': known['message-id'] ?? uuidOf(`${topic}\0${partition}\0${offset}`) };
}

/** What an output of `topicClass` takes over from the message that caused it. */
export function inheritedHeaders(headers: MessageHeaders, topicClass: TopicClass): Partial<MessageHeaders> {
  const names = topicClass === 'request' ? inheritedByRequests : inheritedByAll;
  const inherited: Partial<Mutable<MessageHeaders>> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) inherited[name] = value;
  }
  return inherited;
}

/** Headers as the bus takes them: absent ones left out. */
export function wireHeaders(headers: Partial<MessageHeaders>): Readonly<Record<string, string>> {
  const present: Record<string, string> = {};
  for (const name of headerNames) {
    const value = headers[name];
    if (value !== undefined) present[name] = value;
  }
  return present;
}
