import { Value } from '@sinclair/typebox/value';
import { describe, expect, it } from 'vitest';
import { ClusterAdmin } from '../../../../../services/ports/bus/kafka/cluster-admin.js';
import { createKafkaClient } from '../../../../../services/ports/bus/kafka/kafka-client.js';
import { kafkaConfig } from '../../../../../services/ports/bus/kafka/kafka-config.js';
import { kafkaBench, newTopic } from './harness.js';

const bench = await kafkaBench();

describe.runIf(bench !== undefined)('the admin of a cluster', () => {
  if (bench === undefined) return;
  const { server, open } = bench;

  it('lets a call under way come to its end when it is closed, and connects for no further one', async () => {
    const topic = await newTopic(open(), { partitions: 2 });
    const settings = { ...Value.Create(kafkaConfig), brokers: [server.url] };
    const admin = new ClusterAdmin(createKafkaClient(settings, () => undefined));
    await admin.committed('group', topic);
    const asked = admin.offsets(topic);
    await admin.close();
    expect(await asked).toEqual([
      { start: 0n, end: 0n },
      { start: 0n, end: 0n },
    ]);
    // As a consumer does that looks for its start: this one would stay connected for ever.
    await expect(admin.offsets(topic)).rejects.toMatchObject({ code: 'unavailable', message: 'the bus is closed' });
  });
});
