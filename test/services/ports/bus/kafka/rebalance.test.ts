import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { topics } from '../../../../../schema/topics.js';
import type { Ports } from '../../../../../services/ports/ports.js';
import { createPublisher } from '../../../../../services/runtime/delivery/publisher.js';
import { startProcessor, type RunningProcessor } from '../../../../../services/runtime/delivery/start-processor.js';
import { topicSettings } from '../../../../../services/runtime/delivery/topic-settings.js';
import { defineProcessor, output, type AnyProcessor } from '../../../../../services/runtime/processor.js';
import { listen, message } from '../../../../contracts/bus-contract.js';
import { codec, noConfig, purge } from '../../../runtime/delivery/harness.js';
import { eventually, everything, kafkaBench, newTopic } from './harness.js';

const bench = await kafkaBench();
const rebalancing = { sessionTimeoutMs: 3_000, heartbeatIntervalMs: 200, rebalanceTimeoutMs: 5_000 };
const noPorts = new Proxy({}, {}) as Ports;
const ledger = {
  raiseStarts: (_group: string, partitions: readonly unknown[]) =>
    Promise.resolve(partitions.map(() => ({ starts: 1, suspect: null, deaths: 0 }))),
  noteSuspect: () => Promise.resolve(),
  releaseSuspect: () => Promise.resolve(),
  clearStarts: () => Promise.resolve(),
};

describe.runIf(bench !== undefined)('a changing group', () => {
  if (bench === undefined) return;
  const { open } = bench;

  const start = (processor: AnyProcessor, bus: ReturnType<typeof open>): Promise<RunningProcessor> =>
    startProcessor(processor, {
      bus,
      ports: noPorts,
      codec,
      config: {},
      log: pino({ level: 'silent' }),
      registry: new Registry(),
      ledger,
    });

  it('handles a message once whose handler outlives the session, while others join and leave', async () => {
    const handled: string[] = [];
    let finish: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const processor = defineProcessor({
      name: `subject-${randomUUID()}`,
      input: topics.purges,
      outputs: [topics.payloadUpdates],
      ports: [],
      config: noConfig,
      concurrency: () => 4,
      async handle({ value }) {
        handled.push(value.document_id);
        if (value.document_id === 'slow') await slow;
        return [];
      },
    });
    const prefix = `${randomUUID()}.`;
    const first = open({ ...rebalancing, topicPrefix: prefix });
    const settings = topicSettings([processor], { partitions: 4, retentionMs: 86_400_000, requestRetentionMs: 60_000 });
    await first.ensureTopics(settings.filter(({ name }) => name.startsWith(topics.purges.name)));
    const publisher = createPublisher({ bus: first, codec });
    const publish = (ids: readonly string[]): Promise<void> =>
      publisher.publish(ids.map((id) => output(topics.purges, purge(id).value)));
    const running = [await start(processor, first)];
    await publish(['slow']);
    await eventually(() => {
      expect(handled).toEqual(['slow']);
    });
    const slowSince = performance.now();
    const ids = (round: number): string[] => Array.from({ length: 20 }, (_, index) => `d-${round}-${index}`);
    for (let round = 0; round < 3; round++) {
      running.push(await start(processor, open({ ...rebalancing, topicPrefix: prefix })));
      await publish(ids(round));
      await eventually(() => {
        expect(running.every((each) => each.health().ready)).toBe(true);
        expect(handled).toHaveLength(1 + (round + 1) * 20);
      });
    }
    await running.pop()?.stop(1_000);
    await eventually(() => {
      // Well over the session time-out, in a handler that never returned to the client.
      expect(performance.now() - slowSince).toBeGreaterThan(rebalancing.sessionTimeoutMs * 1.5);
    });
    finish();
    await publish(ids(3));
    await eventually(async () => {
      expect(handled).toHaveLength(1 + 4 * 20);
      const [ends, committed] = await Promise.all([
        first.endOffsets(topics.purges.name),
        first.committed(processor.name, topics.purges.name),
      ]);
      expect(committed).toEqual(ends);
    });
    expect(new Set(handled).size).toBe(handled.length);
    expect(await everything(first, `${topics.purges.name}.${processor.name}.dead-letter`)).toEqual([]);
    for (const each of running) await each.stop(1_000);
  });

  it('moves no more partitions than it must, and not those with work in hand', async () => {
    const topic = await newTopic(open(), { partitions: 6 });
    const group = `group-${randomUUID()}`;
    const join = () => listen(open(rebalancing), { group, topics: [topic], from: 'committed' });
    const first = await join();
    await eventually(() => {
      expect(first.assigned).toHaveLength(6);
    });
    // Keys that stand in two partitions; they are not committed.
    await open().publish(['a', 'b'].map((key) => message(topic, key, 'in hand')));
    await eventually(() => {
      expect(first.records).toHaveLength(2);
    });
    const second = await join();
    await eventually(() => {
      expect(second.assigned).toHaveLength(3);
    });
    await eventually(() => {
      expect(first.revoked).toHaveLength(3);
    });
    const third = await join();
    await eventually(() => {
      expect(third.assigned).toHaveLength(2);
    });
    await eventually(() => {
      expect(first.revoked.length + second.revoked.length).toBe(5);
    });
    const busy = first.records.map(({ partition }) => ({ topic, partition }));
    for (const partition of busy) expect(first.revoked).not.toContainEqual(partition);
    expect([...second.records, ...third.records]).toEqual([]);
  });

  it('ignores commits of partitions that it has lost', async () => {
    const topic = await newTopic(open(), { partitions: 2 });
    const group = `group-${randomUUID()}`;
    const bus = open();
    await bus.publish(Array.from({ length: 20 }, (_, index) => message(topic, `k${index}`, 'v')));
    const first = await listen(open(rebalancing), { group, topics: [topic], from: 'committed' });
    await eventually(() => {
      expect(first.records).toHaveLength(20);
    });
    const second = await listen(open(rebalancing), { group, topics: [topic], from: 'committed' });
    await eventually(() => {
      expect(first.revoked).toHaveLength(1);
      expect(second.records.length).toBeGreaterThan(0);
    });
    const [lost] = first.revoked;
    const kept = { topic, partition: 1 - (lost?.partition ?? 0) };
    const before = await bus.committed(group, topic);
    await first.consumer.commit({ topic, partition: lost?.partition ?? -1 }, 5n);
    expect(await bus.committed(group, topic)).toEqual(before);
    await first.consumer.commit(kept, 4n);
    await first.consumer.commit(kept, 2n);
    await second.consumer.commit(kept, 1n);
    await second.consumer.commit({ topic, partition: lost?.partition ?? -1 }, 3n);
    const committed = await bus.committed(group, topic);
    expect([committed[kept.partition], committed[lost?.partition ?? -1]]).toEqual([4n, 3n]);
  });
});
