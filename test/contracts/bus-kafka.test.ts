import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { afterAll } from 'vitest';
import { createKafkaBus, type KafkaBus, type KafkaBusOptions } from '../../services/ports/bus/kafka/kafka-bus.js';
import { kafkaConfig } from '../../services/ports/bus/kafka/kafka-config.js';
import { startKafka } from '../stack/kafka.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { describeBusContract } from './bus-contract.js';

const folder = await mkdtemp(join(tmpdir(), 'sluice-kafka-'));
const server = await startOrSkip('Kafka', () => startKafka(join(folder, 'data')));

afterAll(async () => {
  await server?.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

if (server !== undefined) {
  const open = (options: Partial<KafkaBusOptions> = {}): KafkaBus =>
    createKafkaBus({ ...Value.Create(kafkaConfig), brokers: [server.url], ...options });

  describeBusContract('kafka', async () => ({
    bus: open({ topicPrefix: 'contract.' }),
    remove: async () => undefined,
  }));
}
