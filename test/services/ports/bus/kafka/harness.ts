import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { afterAll, afterEach, vi } from 'vitest';
import {
  createKafkaBus,
  type KafkaBus,
  type KafkaBusOptions,
} from '../../../../../services/ports/bus/kafka/kafka-bus.js';
import { kafkaConfig } from '../../../../../services/ports/bus/kafka/kafka-config.js';
import type { Bus, BusRecord, TopicSettings } from '../../../../../services/ports/bus/port.js';
import { startKafka, type KafkaServer } from '../../../../stack/kafka.js';
import { startOrSkip } from '../../../../stack/start-or-skip.js';

export interface KafkaBench {
  readonly server: KafkaServer;
  /** With the defaults of the configuration, closed after the test. */
  open(options?: Partial<KafkaBusOptions>): KafkaBus;
}

/** One broker for the tests of a file. */
export async function kafkaBench(): Promise<KafkaBench | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-kafka-'));
  const server = await startOrSkip('Kafka', () => startKafka(join(folder, 'data')));
  const buses: KafkaBus[] = [];
  afterEach(async () => {
    for (const bus of buses.splice(0).reverse()) await bus.close();
  });
  afterAll(async () => {
    await server?.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  if (server === undefined) return undefined;
  return {
    server,
    open: (options = {}) => {
      const bus = createKafkaBus({
        ...Value.Create(kafkaConfig),
        brokers: [server.url],
        ...(process.env['TEST_LOG'] === undefined
          ? {}
          : { warn: (message, details) => process.stderr.write(`${message} ${JSON.stringify(details)}\n`) }),
        ...options,
      });
      buses.push(bus);
      return bus;
    },
  };
}

export async function newTopic(bus: Bus, settings: Partial<TopicSettings> = {}): Promise<string> {
  const name = settings.name ?? `topic-${randomUUID()}`;
  await bus.ensureTopics([{ class: 'log', partitions: 4, retentionMs: 3_600_000, ...settings, name }]);
  return name;
}

export const eventually = (assertions: () => void | Promise<void>, timeout = 40_000): Promise<void> =>
  vi.waitFor(assertions, { timeout, interval: 10 });

export async function everything(bus: Bus, topic: string): Promise<readonly BusRecord[]> {
  const records: BusRecord[] = [];
  for await (const record of bus.read(topic)) records.push(record);
  return records;
}

/** What each key's records say, in the order of the log. */
export function byKey(records: readonly BusRecord[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { key, value } of records) {
    const own = values.get(key ?? '') ?? [];
    values.set(key ?? '', own);
    own.push(value.toString());
  }
  return values;
}
