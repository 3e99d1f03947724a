import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type {
  Bus,
  BusRecord,
  Consumer,
  ConsumerOptions,
  TopicPartition,
  TopicSettings,
} from '../../services/ports/bus/port.js';

/** A consumer that remembers what it is told. */
export interface Listener {
  readonly consumer: Consumer;
  readonly records: BusRecord[];
  readonly assigned: TopicPartition[];
  readonly revoked: TopicPartition[];
  values(): string[];
}

export async function listen(bus: Bus, options: ConsumerOptions): Promise<Listener> {
  const records: BusRecord[] = [];
  const assigned: TopicPartition[] = [];
  const revoked: TopicPartition[] = [];
  const consumer = await bus.consume(options, {
    assigned: (partitions) => assigned.push(...partitions),
    revoked: (partitions) => revoked.push(...partitions),
    records: (_partition, slice) => records.push(...slice),
    fatal: (error) => {
      throw error;
    },
  });
  return { consumer, records, assigned, revoked, values: () => records.map(({ value }) => value.toString()) };
}

export const message = (topic: string, key: string | null, value: string) => ({
  topic,
  key,
  value: Buffer.from(value),
  headers: {},
});

const waiting = { timeout: 20_000, interval: 10 };

/** What every bus must hold to. Topics and groups have new names in each test, so that one broker serves all. */
export function describeBusContract(
  name: string,
  makeAdapter: () => Promise<{ readonly bus: Bus; readonly remove: () => Promise<void> }>,
): void {
  describe(`bus contract: ${name}`, () => {
    let bus: Bus;
    let remove: () => Promise<void>;
    const consumers: Consumer[] = [];

    beforeAll(async () => {
      ({ bus, remove } = await makeAdapter());
    });
    afterAll(async () => {
      for (const consumer of consumers) await consumer.close();
      await bus.close();
      await remove();
    });

    const newTopic = async (settings: Partial<TopicSettings> = {}): Promise<string> => {
      const topic = settings.name ?? `topic-${randomUUID()}`;
      await bus.ensureTopics([{ class: 'log', partitions: 4, retentionMs: 3_600_000, ...settings, name: topic }]);
      return topic;
    };
    const join = async (topic: string, options: Partial<ConsumerOptions> = {}): Promise<Listener> => {
      const listener = await listen(bus, {
        group: `group-${randomUUID()}`,
        topics: [topic],
        from: 'committed',
        ...options,
      });
      consumers.push(listener.consumer);
      await vi.waitFor(() => {
        expect(listener.consumer.joined()).toBe(true);
      }, waiting);
      return listener;
    };

    for (const topicClass of ['log', 'request'] as const) {
      it(`brings every record of a ${topicClass} topic to every group, with key, headers and bytes`, async () => {
        const topic = await newTopic({ class: topicClass });
        const first = await join(topic);
        const second = await join(topic);
        const value = Buffer.from([0, 255, 1, 254]);
        const before = Date.now();
        await bus.publish([
          { topic, key: 'ключ', value, headers: { 'message-id': 'm1', workspace: 'ü' } },
          { topic, key: null, value: Buffer.alloc(0), headers: {} },
        ]);
        for (const { records } of [first, second]) {
          await vi.waitFor(() => {
            expect(records).toHaveLength(2);
          }, waiting);
          const keyed = records.find(({ key }) => key !== null);
          expect(keyed).toMatchObject({ topic, key: 'ключ', headers: { 'message-id': 'm1', workspace: 'ü' } });
          expect(keyed?.value.equals(value)).toBe(true);
          expect(keyed?.timestamp).toBeGreaterThanOrEqual(before - 5_000);
          expect(records.find(({ key }) => key === null)?.value).toHaveLength(0);
        }
      });
    }

    it('keeps the records of a key in one partition, in the order of publication, at ascending offsets', async () => {
      const topic = await newTopic();
      const { records } = await join(topic);
      for (let round = 0; round < 30; round++) {
        await bus.publish(['a', 'b', 'c', 'd', 'e'].map((key) => message(topic, key, String(round))));
      }
      await vi.waitFor(() => {
        expect(records).toHaveLength(150);
      }, waiting);
      for (const key of ['a', 'b', 'c', 'd', 'e']) {
        const own = records.filter((record) => record.key === key);
        expect(own.map(({ value }) => Number(value))).toEqual([...Array(30).keys()]);
        expect(new Set(own.map(({ partition }) => partition)).size).toBe(1);
      }
      for (let partition = 0; partition < 4; partition++) {
        const offsets = records.filter((record) => record.partition === partition).map(({ offset }) => offset);
        expect(offsets).toEqual([...offsets].sort((a, b) => Number(a - b)));
        expect(new Set(offsets).size).toBe(offsets.length);
      }
    });

    it('keeps the order within one publish and loses nothing of many at once', async () => {
      const topic = await newTopic();
      const { records } = await join(topic);
      await Promise.all(
        Array.from({ length: 40 }, (_, publisher) =>
          bus.publish(Array.from({ length: 25 }, (_, index) => message(topic, `k${publisher}`, String(index)))),
        ),
      );
      await vi.waitFor(() => {
        expect(records).toHaveLength(1_000);
      }, waiting);
      for (let publisher = 0; publisher < 40; publisher++) {
        const own = records.filter(({ key }) => key === `k${publisher}`);
        expect(own.map(({ value }) => Number(value))).toEqual([...Array(25).keys()]);
      }
    });

    it('spreads records without key over the partitions', async () => {
      const topic = await newTopic();
      const { records } = await join(topic);
      for (let index = 0; index < 40; index++) await bus.publish([message(topic, null, String(index))]);
      await vi.waitFor(() => {
        expect(records).toHaveLength(40);
      }, waiting);
      expect(new Set(records.map(({ partition }) => partition)).size).toBeGreaterThan(1);
    });

    it('resumes a group where it committed, and a new group at the start', async () => {
      const topic = await newTopic({ partitions: 1 });
      const group = `group-${randomUUID()}`;
      await bus.publish(['0', '1', '2', '3'].map((value) => message(topic, 'k', value)));
      const first = await join(topic, { group });
      await vi.waitFor(() => {
        expect(first.values()).toEqual(['0', '1', '2', '3']);
      }, waiting);
      await first.consumer.commit({ topic, partition: 0 }, (first.records[2]?.offset ?? 0n) + 0n);
      expect(await bus.committed(group, topic)).toEqual([first.records[2]?.offset]);
      await first.consumer.close();
      const second = await join(topic, { group });
      await vi.waitFor(() => {
        expect(second.values()).toEqual(['2', '3']);
      }, waiting);
    });

    it('ignores commits of partitions that are not the consumer’s', async () => {
      const topic = await newTopic({ partitions: 1 });
      const group = `group-${randomUUID()}`;
      await bus.publish([message(topic, 'k', '0'), message(topic, 'k', '1')]);
      const { consumer, records } = await join(topic, { group });
      await vi.waitFor(() => {
        expect(records).toHaveLength(2);
      }, waiting);
      const before = await bus.committed(group, topic);
      await consumer.close();
      await consumer.commit({ topic, partition: 0 }, 2n);
      expect(await bus.committed(group, topic)).toEqual(before);
    });

    it('gives an inbox only what comes after it opened', async () => {
      for (const topicClass of ['log', 'request'] as const) {
        const topic = await newTopic({ class: topicClass });
        await bus.publish([message(topic, 'k', 'early')]);
        const inbox = await join(topic, { from: 'end' });
        await bus.publish([message(topic, 'k', 'late')]);
        await vi.waitFor(() => {
          expect(inbox.values()).toContain('late');
        }, waiting);
        expect(inbox.values()).not.toContain('early');
      }
    });

    it('shares the partitions among the consumers of a group and hands them on when one leaves', async () => {
      const topic = await newTopic();
      const group = `group-${randomUUID()}`;
      const first = await join(topic, { group });
      await vi.waitFor(() => {
        expect(first.assigned).toHaveLength(4);
      }, waiting);
      const second = await join(topic, { group });
      await vi.waitFor(() => {
        expect(second.assigned.length).toBeGreaterThan(0);
      }, waiting);
      expect(first.revoked).toEqual(expect.arrayContaining(second.assigned));
      await bus.publish(Array.from({ length: 50 }, (_, index) => message(topic, `k${index}`, String(index))));
      await vi.waitFor(() => {
        expect(first.records.length + second.records.length).toBe(50);
      }, waiting);
      const of = (listener: Listener): Set<number> => new Set(listener.records.map(({ partition }) => partition));
      expect([...of(first)].filter((partition) => of(second).has(partition))).toEqual([]);
      await second.consumer.close();
      await bus.publish(Array.from({ length: 50 }, (_, index) => message(topic, `k${index}`, `again ${index}`)));
      await vi.waitFor(() => {
        expect(first.values().filter((value) => value.startsWith('again'))).toHaveLength(50);
      }, waiting);
    });

    it('hands nothing over of a paused partition until it is resumed', async () => {
      const topic = await newTopic({ partitions: 2 });
      const { consumer, records, assigned } = await join(topic);
      await vi.waitFor(() => {
        expect(assigned).toHaveLength(2);
      }, waiting);
      consumer.pause({ topic, partition: 0 });
      await bus.publish(Array.from({ length: 60 }, (_, index) => message(topic, `k${index}`, String(index))));
      const [zero = 0n, one = 0n] = await bus.endOffsets(topic);
      expect(zero).toBeGreaterThan(0n);
      await vi.waitFor(() => {
        expect(records).toHaveLength(Number(one));
      }, waiting);
      expect(records.filter(({ partition }) => partition === 0)).toEqual([]);
      consumer.resume({ topic, partition: 0 });
      await vi.waitFor(() => {
        expect(records).toHaveLength(Number(zero + one));
      }, waiting);
    });

    it('may be paused from within the call that hands records over, and skips nothing', async () => {
      const topic = await newTopic({ partitions: 1 });
      await bus.publish(Array.from({ length: 2_000 }, (_, index) => message(topic, 'k', String(index))));
      const seen: number[] = [];
      let slices = 0;
      const consumer: Consumer = await bus.consume(
        { group: `group-${randomUUID()}`, topics: [topic], from: 'committed' },
        {
          assigned: () => undefined,
          revoked: () => undefined,
          records: (partition, records) => {
            slices++;
            seen.push(...records.map(({ value }) => Number(value)));
            consumer.pause(partition);
            setTimeout(() => {
              consumer.resume(partition);
            }, 1);
          },
          fatal: (error) => {
            throw error;
          },
        },
      );
      consumers.push(consumer);
      await vi.waitFor(() => {
        expect(seen).toHaveLength(2_000);
      }, waiting);
      expect(seen).toEqual([...Array(2_000).keys()]);
      expect(slices).toBeGreaterThan(1);
    });

    it('tells end offsets and reads a topic in no group', async () => {
      const topic = await newTopic({ partitions: 2 });
      expect(await bus.endOffsets(topic)).toEqual([0n, 0n]);
      expect(await bus.committed('nobody', topic)).toEqual([0n, 0n]);
      await bus.publish(Array.from({ length: 700 }, (_, index) => message(topic, `k${index}`, String(index))));
      const ends = await bus.endOffsets(topic);
      expect(ends.reduce((sum, end) => sum + end, 0n)).toBe(700n);
      const read: BusRecord[] = [];
      for await (const record of bus.read(topic)) read.push(record);
      expect(read.map(({ value }) => Number(value)).sort((a, b) => a - b)).toEqual([...Array(700).keys()]);
      const [zero = 0n, one = 0n] = ends;
      const rest: BusRecord[] = [];
      for await (const record of bus.read(topic, [zero, one - 1n])) rest.push(record);
      expect(rest.map(({ partition, offset }) => [partition, offset])).toEqual([[1, one - 1n]]);
      expect(await bus.committed('nobody', topic)).toEqual([0n, 0n]);
    });

    it('refuses a record over the limit of its topic, and publishes nothing of that call', async () => {
      const topic = await newTopic({ maxMessageBytes: 100_000 });
      const large = { ...message(topic, 'k', ''), value: Buffer.alloc(200_000) };
      await expect(bus.publish([message(topic, 'k', 'small'), large])).rejects.toMatchObject({ code: 'too-large' });
      expect((await bus.endOffsets(topic)).every((end) => end === 0n)).toBe(true);
    });

    it('refuses an existing topic with other partitions or a smaller limit, and takes the same again', async () => {
      const topic = await newTopic({ partitions: 3, maxMessageBytes: 50_000 });
      await newTopic({ name: topic, partitions: 3, maxMessageBytes: 50_000 });
      const refusal = { name: 'SluiceError', message: expect.stringContaining(topic) as string };
      await expect(newTopic({ name: topic, partitions: 4, maxMessageBytes: 50_000 })).rejects.toMatchObject(refusal);
      await expect(newTopic({ name: topic, partitions: 3, maxMessageBytes: 60_000 })).rejects.toMatchObject(refusal);
      const described = (await bus.topics()).find((each) => each.name === topic);
      expect(described).toMatchObject({ name: topic, partitions: 3 });
    });

    it('refuses topics that were not created', async () => {
      const absent = `absent-${randomUUID()}`;
      await expect(bus.publish([message(absent, 'k', 'v')])).rejects.toMatchObject({ name: 'SluiceError' });
    });
  });
}
