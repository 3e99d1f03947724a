import { topicNamed } from '../../schema/topics.js';
import type { Bus, OutgoingRecord } from '../../services/ports/bus/port.js';

export interface FaultyBusOptions {
  /** A number in [0, 1) at each call; tests that are to be repeatable give a seeded one. */
  random?(): number;
  /** Copies beyond the first come after at most this many ms, by when the first has mostly been committed. */
  readonly maxDelayMs?: number;
}

export interface FaultyBus extends Bus {
  /** Resolves when every late copy is out. */
  settled(): Promise<void>;
}

const keyOf = ({ topic, key }: OutgoingRecord): string => `${topic}\0${key}`;

/** Swaps neighbours of different keys here and there; records of one key keep their order. */
function swapped(records: readonly OutgoingRecord[], random: () => number): readonly OutgoingRecord[] {
  const result = [...records];
  for (let index = 0; index + 1 < result.length; index++) {
    const [left, right] = [result[index], result[index + 1]];
    if (left === undefined || right === undefined || keyOf(left) === keyOf(right) || random() < 0.5) continue;
    result[index] = right;
    result[index + 1] = left;
  }
  return result;
}

/**
 * A bus on which each record is delivered one to three times, the copies late and often after the first was committed,
 * and on which records of different keys overtake one another, also those of different calls. Nothing is lost, a
 * call still resolves only when its records are durable, and requests are left alone: their askers hold no promise.
 */
export function faultyBus(bus: Bus, { random = Math.random, maxDelayMs = 200 }: FaultyBusOptions = {}): FaultyBus {
  const late = new Set<Promise<void>>();
  /** The last publish of each key that is under way: what follows it waits, what does not may overtake. */
  const tails = new Map<string, Promise<void>>();
  let closed = false;

  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  const inKeyOrder = async (records: readonly OutgoingRecord[], delayMs: number): Promise<void> => {
    const keys = [...new Set(records.map(keyOf))];
    const before = keys.map((key) => tails.get(key));
    const publishing = (async () => {
      await wait(delayMs);
      for (const earlier of before) await earlier;
      await bus.publish(records);
    })();
    const settled = publishing.catch(() => undefined);
    for (const key of keys) tails.set(key, settled);
    try {
      await publishing;
    } finally {
      for (const key of keys) if (tails.get(key) === settled) tails.delete(key);
    }
  };

  const repeatLate = (records: readonly OutgoingRecord[]): void => {
    const copy = (async () => {
      await wait(random() * maxDelayMs);
      if (!closed) await bus.publish(records);
    })().catch(() => undefined);
    late.add(copy);
    void copy.finally(() => late.delete(copy));
  };

  return {
    ensureTopics: (topics) => bus.ensureTopics(topics),
    topics: () => bus.topics(),
    consume: (options, events) => bus.consume(options, events),
    endOffsets: (topic) => bus.endOffsets(topic),
    committed: (group, topic) => bus.committed(group, topic),
    read: (topic, from) => bus.read(topic, from),
    async publish(records) {
      const requests = records.filter(({ topic }) => topicNamed(topic)?.class === 'request');
      const logged = records.filter((record) => !requests.includes(record));
      if (logged.length > 0) {
        await inKeyOrder(swapped(logged, random), random() < 0.5 ? 0 : random() * 5);
        for (let copies = Math.floor(random() * 3); copies > 0; copies--) {
          repeatLate(
            swapped(
              logged.filter(() => random() < 0.9),
              random,
            ),
          );
        }
      }
      if (requests.length > 0) await bus.publish(requests);
    },
    async settled() {
      while (late.size > 0) await Promise.all(late);
    },
    async close() {
      closed = true;
      await Promise.all(late);
      await bus.close();
    },
  };
}
