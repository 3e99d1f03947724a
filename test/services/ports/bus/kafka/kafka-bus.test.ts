import { randomUUID } from 'node:crypto';
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { listen, message } from '../../../../contracts/bus-contract.js';
import { kafkaCredentials } from '../../../../stack/kafka.js';
import { startKafkaProxy } from '../../../../stack/kafka-proxy.js';
import { byKey, eventually, everything, kafkaBench, newTopic } from './harness.js';

const bench = await kafkaBench();

describe.runIf(bench !== undefined)('Kafka bus', () => {
  if (bench === undefined) return;
  const { server, open } = bench;
  const withAdmin = async (work: (admin: ReturnType<Kafka['admin']>) => Promise<unknown>): Promise<void> => {
    const admin = new Kafka({ brokers: [server.url], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await work(admin);
    await admin.disconnect();
  };

  for (const loss of ['cut', 'swallow'] as const) {
    it(`loses nothing and doubles nothing when responses are lost (${loss})`, async () => {
      const { port, advertised } = server.proxied;
      let responses = 0;
      const every = loss === 'cut' ? 4 : 12;
      const proxy = await startKafkaProxy({
        listen: advertised,
        target: port,
        fate: () => (++responses % every === 0 ? loss : 'pass'),
      });
      const direct = open();
      const topic = await newTopic(direct);
      const bus = open({ brokers: [`127.0.0.1:${advertised}`], requestTimeoutMs: 1_000, producers: 3 });
      await Promise.all(
        Array.from({ length: 8 }, async (_, publisher) => {
          for (let round = 0; round < 25; round++) {
            const values = [0, 1, 2].map((index) => message(topic, `k${publisher}`, String(round * 3 + index)));
            await bus.publish(values);
          }
        }),
      );
      await bus.close();
      expect(proxy.dropped).toBeGreaterThan(2);
      await proxy.close();
      const found = byKey(await everything(direct, topic));
      expect(found.size).toBe(8);
      const wanted = [...Array(75).keys()].map(String);
      for (const values of found.values()) expect(values).toEqual(wanted);
    });
  }

  it('lets all records through but the one that only the broker knows to be too large', async () => {
    const bus = open();
    const topic = await newTopic(bus, { partitions: 1, maxMessageBytes: 500_000 });
    await bus.publish([message(topic, 'k', 'first')]);
    // Behind the back of the publisher, which remembers the limit.
    await withAdmin((admin) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: ConfigResourceTypes.TOPIC,
            name: topic,
            configEntries: [{ name: 'max.message.bytes', value: '50000' }],
          },
        ],
      }),
    );
    const large = { ...message(topic, 'k', ''), value: Buffer.alloc(100_000) };
    const before = Array.from({ length: 20 }, (_, index) =>
      bus.publish([{ ...message(topic, 'k', ''), value: Buffer.alloc(9_000, 65 + index) }]),
    );
    const refused = bus.publish([large]);
    const after = bus.publish([message(topic, 'k', 'last')]);
    await expect(refused).rejects.toMatchObject({ code: 'too-large' });
    await Promise.all([...before, after]);
    const values = (await everything(bus, topic)).map(({ value }) => value.toString().slice(0, 5));
    const letters = Array.from({ length: 20 }, (_, index) => String.fromCharCode(65 + index).repeat(5));
    expect(values).toEqual(['first', ...letters, 'last']);
  });

  it('gives up what it could not begin to send, and says that Kafka cannot be reached', async () => {
    const bus = open({ brokers: ['127.0.0.1:1'], publishTimeoutMs: 300 });
    await expect(bus.publish([message('any', 'k', 'v')])).rejects.toMatchObject({ code: 'unavailable' });
    await expect(listen(bus, { group: 'g', topics: ['any'], from: 'committed' })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('names a topic that does not exist', async () => {
    const bus = open();
    const absent = `absent-${randomUUID()}`;
    const refusal = { code: 'configuration-invalid', message: expect.stringContaining(absent) as string };
    await expect(bus.publish([message(absent, 'k', 'v')])).rejects.toMatchObject(refusal);
    await expect(bus.endOffsets(absent)).rejects.toMatchObject(refusal);
    await expect(listen(bus, { group: 'g', topics: [absent], from: 'committed' })).rejects.toMatchObject(refusal);
  });

  it('keeps installations with different prefixes apart, in topics and groups', async () => {
    const staging = open({ topicPrefix: 'staging.' });
    const live = open({ topicPrefix: 'live.' });
    const name = `topic-${randomUUID()}`;
    await newTopic(staging, { name, partitions: 1 });
    await newTopic(live, { name, partitions: 1 });
    await live.publish([message(name, 'k', 'live')]);
    await staging.publish([message(name, 'k', 'staging')]);
    const a = await listen(live, { group: 'g', topics: [name], from: 'committed' });
    const b = await listen(staging, { group: 'g', topics: [name], from: 'committed' });
    await eventually(() => {
      expect([a.values(), b.values()]).toEqual([['live'], ['staging']]);
    });
    expect((await staging.topics()).map((topic) => topic.name)).toEqual([name]);
  });

  it('sets up topics so that nothing is compacted away and requests expire', async () => {
    const bus = open();
    const log = await newTopic(bus, { retentionMs: 86_400_000, maxMessageBytes: 8 * 1024 * 1024 });
    const request = await newTopic(bus, { class: 'request', retentionMs: 600_000 });
    const settingsOf = async (name: string) => (await bus.topics()).find((topic) => topic.name === name)?.settings;
    expect(await settingsOf(log)).toMatchObject({ 'cleanup.policy': 'delete', 'retention.ms': '86400000' });
    expect(await settingsOf(request)).toMatchObject({ 'retention.ms': '600000', 'segment.ms': '600000' });
    await bus.publish([{ ...message(log, 'k', ''), value: Buffer.alloc(8 * 1024 * 1024 - 1) }]);
    // Another retention is taken over, and what an operator has set stays.
    await newTopic(bus, { name: log, retentionMs: 172_800_000, maxMessageBytes: 8 * 1024 * 1024 });
    expect(await settingsOf(log)).toMatchObject({
      'retention.ms': '172800000',
      'compression.type': 'uncompressed',
      'cleanup.policy': 'delete',
    });
  });

  it('adds partitions once the groups have read everything', async () => {
    const bus = open();
    const topic = await newTopic(bus, { partitions: 2 });
    const group = `group-${randomUUID()}`;
    await bus.publish(Array.from({ length: 10 }, (_, index) => message(topic, `k${index}`, 'v')));
    const { consumer, records, assigned } = await listen(bus, { group, topics: [topic], from: 'committed' });
    await eventually(() => {
      expect(records).toHaveLength(10);
    });
    const waits: bigint[] = [];
    const resized = bus.resizeTopic({
      topic,
      partitions: 5,
      groups: [group],
      waiting: (unread) => {
        waits.push(unread);
        if (waits.length > 1) return;
        for (const { partition, offset } of records) void consumer.commit({ topic, partition }, offset + 1n);
      },
    });
    await resized;
    expect(waits[0]).toBe(10n);
    expect(await bus.endOffsets(topic)).toHaveLength(5);
    await expect(bus.resizeTopic({ topic, partitions: 3, groups: [] })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    await bus.publish(Array.from({ length: 60 }, (_, index) => message(topic, `n${index}`, 'v')));
    expect((await bus.endOffsets(topic)).slice(2).every((end) => end > 0n)).toBe(true);
    expect(assigned.length).toBeGreaterThanOrEqual(2);
  });

  it('ends rather than pass over messages that are gone, but does pass over requests', async () => {
    const bus = open();
    for (const topicClass of ['log', 'request'] as const) {
      const topic = await newTopic(bus, { class: topicClass, partitions: 1 });
      const group = `group-${randomUUID()}`;
      await bus.publish(['0', '1', '2', '3'].map((value) => message(topic, 'k', value)));
      const first = await listen(bus, { group, topics: [topic], from: 'committed' });
      await eventually(() => {
        expect(first.records).toHaveLength(4);
      });
      await first.consumer.commit({ topic, partition: 0 }, 1n);
      await first.consumer.close();
      await withAdmin(async (admin) => {
        await admin.fetchTopicOffsets(topic);
        await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '3' }] });
      });
      const fatal: Error[] = [];
      const values: string[] = [];
      const second = await bus.consume(
        { group, topics: [topic], from: 'committed' },
        {
          assigned: () => undefined,
          revoked: () => undefined,
          records: (_, records) => values.push(...records.map(({ value }) => value.toString())),
          fatal: (error) => fatal.push(error),
        },
      );
      if (topicClass === 'request') {
        await eventually(() => {
          expect(values).toEqual(['3']);
        });
        expect(fatal).toEqual([]);
      } else {
        await eventually(() => {
          expect(fatal).toHaveLength(1);
        });
        expect(fatal[0]?.message).toMatch(new RegExp(`${group}.*${topic}/0 at offset 1.*3 to 4`));
        expect(values).toEqual([]);
        expect(second.joined()).toBe(false);
        expect(await bus.committed(group, topic)).toEqual([1n]);
      }
    }
  });

  it('reads no further than one fetch ahead while it is paused', async () => {
    const bus = open({ fetchBytesPerPartition: 50_000 });
    const topic = await newTopic(bus, { partitions: 1 });
    const value = Buffer.alloc(10_000);
    await bus.publish(Array.from({ length: 200 }, () => ({ topic, key: 'k', value, headers: {} })));
    const { consumer, records, assigned } = await listen(bus, {
      group: `group-${randomUUID()}`,
      topics: [topic],
      from: 'committed',
    });
    await eventually(() => {
      expect(assigned).toHaveLength(1);
    });
    consumer.pause({ topic, partition: 0 });
    const whenPaused = records.length;
    await eventually(() => {
      expect(consumer.joined()).toBe(true);
    });
    consumer.resume({ topic, partition: 0 });
    await eventually(() => {
      expect(records).toHaveLength(200);
    });
    expect(whenPaused).toBe(0);
    expect(records.map(({ offset }) => Number(offset))).toEqual([...Array(200).keys()]);
  });

  it('takes what the owner throws for the end, and keeps it from the client', async () => {
    for (const thrown of [new RangeError('range'), new TypeError('type'), new Error('plain')]) {
      const bus = open();
      const topic = await newTopic(bus, { partitions: 1 });
      await bus.publish([message(topic, 'k', 'v')]);
      const fatal: Error[] = [];
      await bus.consume(
        { group: `group-${randomUUID()}`, topics: [topic], from: 'committed' },
        {
          assigned: () => undefined,
          revoked: () => undefined,
          records: () => {
            throw thrown;
          },
          fatal: (error) => fatal.push(error),
        },
      );
      await eventually(() => {
        expect(fatal).toEqual([thrown]);
      });
    }
  });

  for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'] as const) {
    it(`proves who it is by ${mechanism}, and says when it is refused`, async () => {
      const { username, password } = kafkaCredentials;
      const sasl = { brokers: [server.saslUrl], saslMechanism: mechanism, saslUsername: username };
      const bus = open({ ...sasl, saslPassword: password });
      const topic = await newTopic(bus);
      await bus.publish([message(topic, 'k', 'v')]);
      expect(await everything(bus, topic)).toHaveLength(1);
      const stranger = open({ ...sasl, saslPassword: 'wrong' });
      await expect(stranger.endOffsets(topic)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/refuses the user/) as string,
      });
    });
  }
});
