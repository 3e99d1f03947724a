import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { listen, message } from '../../../../contracts/bus-contract.js';
import { byKey, eventually, everything, kafkaBench, newTopic } from './harness.js';

const bench = await kafkaBench();

describe.runIf(bench !== undefined)('a broker that is killed', () => {
  if (bench === undefined) return;
  const { server, open } = bench;

  it('costs nothing that was acknowledged, doubles nothing, and everybody goes on by himself', async () => {
    const bus = open();
    const topic = await newTopic(bus, { partitions: 4 });
    const consumer = await listen(open(), { group: `group-${randomUUID()}`, topics: [topic], from: 'committed' });
    const inbox = await listen(open(), { group: `inbox-${randomUUID()}`, topics: [topic], from: 'end' });
    await eventually(() => {
      expect(consumer.consumer.joined() && inbox.consumer.joined()).toBe(true);
    });
    const acknowledged: number[] = [0, 0, 0, 0];
    const state = { stop: false };
    const publishers = acknowledged.map(async (_, publisher) => {
      while (!state.stop) {
        await bus.publish([message(topic, `k${publisher}`, String(acknowledged[publisher]))]);
        acknowledged[publisher] = (acknowledged[publisher] ?? 0) + 1;
      }
    });
    const recovered: number[] = [];
    for (let round = 0; round < 1; round++) {
      const enough = Math.min(...acknowledged) + 50;
      await eventually(() => {
        expect(Math.min(...acknowledged)).toBeGreaterThan(enough);
      });
      await server.stop('SIGKILL');
      // What a real restart takes.
      await delay(1_000);
      await server.restart();
      const since = performance.now();
      const before = [Math.max(...acknowledged), consumer.records.length, inbox.records.length] as const;
      await eventually(() => {
        expect(Math.max(...acknowledged)).toBeGreaterThan(before[0]);
        expect(consumer.records.length).toBeGreaterThan(before[1]);
        expect(inbox.records.length).toBeGreaterThan(before[2]);
      });
      recovered.push(Math.round(performance.now() - since));
      for (const { partition, offset } of consumer.records.slice(-50)) {
        await consumer.consumer.commit({ topic, partition }, offset + 1n);
      }
    }
    state.stop = true;
    await Promise.all(publishers);
    const total = acknowledged.reduce((sum, count) => sum + count, 0);
    await eventually(() => {
      expect(consumer.records.length).toBeGreaterThanOrEqual(total);
      expect(inbox.records.length).toBeGreaterThanOrEqual(total);
    });
    process.stderr.write(`recovered in ${recovered.join(' and ')} ms, ${total} messages\n`);
    for (const records of [await everything(bus, topic), consumer.records, inbox.records]) {
      const found = byKey(records);
      acknowledged.forEach((count, publisher) => {
        expect(found.get(`k${publisher}`)).toEqual([...Array(count).keys()].map(String));
      });
    }
    expect(consumer.revoked).toEqual([]);
  }, 120_000);
});
