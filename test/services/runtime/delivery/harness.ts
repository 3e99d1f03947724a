import { Type, type TObject } from '@sinclair/typebox';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { vi } from 'vitest';
import type { Codec } from '../../../../schema/codec.js';
import { singleObjectCodec } from '../../../../schema/single-object.js';
import { topics, type Topic } from '../../../../schema/topics.js';
import { createEmbeddedBus } from '../../../../services/ports/bus/embedded/embedded-bus.js';
import type { Bus, BusRecord } from '../../../../services/ports/bus/port.js';
import type { DeliveryLedger } from '../../../../services/ports/catalog/port.js';
import type { Ports } from '../../../../services/ports/ports.js';
import { createPublisher } from '../../../../services/runtime/delivery/publisher.js';
import type { DeliverySettings } from '../../../../services/runtime/delivery/settings.js';
import { startProcessor, type RunningProcessor } from '../../../../services/runtime/delivery/start-processor.js';
import { topicSettings } from '../../../../services/runtime/delivery/topic-settings.js';
import {
  defineProcessor,
  type AnyProcessor,
  type Delivery,
  type HandlerContext,
  type Output,
} from '../../../../services/runtime/processor.js';

export const codec = singleObjectCodec();
export const noConfig: TObject = Type.Object({});

const defaults = { partitions: 4, retentionMs: 86_400_000, requestRetentionMs: 60_000 };

/** Waits until `assertions` hold; busy machines take their time. */
export const eventually = (assertions: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(assertions, { timeout: 20_000, interval: 5 });

/** A port that no test of delivery may touch. */
const untouched = (name: string): never => {
  throw new Error(`the test gave no port ${name}`);
};
export const noPorts = new Proxy({}, { get: (_, name) => untouched(String(name)) }) as Ports;

/** Starts are not counted unless a test says so. */
export const idleLedger: DeliveryLedger = {
  raiseStarts: (_group, partitions) => Promise.resolve(partitions.map(() => ({ starts: 1, suspect: null, deaths: 0 }))),
  noteSuspect: () => Promise.resolve(),
  releaseSuspect: () => Promise.resolve(),
  clearStarts: () => Promise.resolve(),
};

/** Fast retries, so that tests do not wait. */
export const fast: Partial<DeliverySettings> = {
  firstRetryMs: 2,
  maxRetryMs: 10,
  commitIntervalMs: 2,
  abandonAfterMs: 50,
};

export interface StartOptions {
  bus?: Bus;
  codec?: Codec;
  ledger?: DeliveryLedger;
  settings?: Partial<DeliverySettings>;
  onFatal?: (error: Error) => void;
}

export interface Bench {
  readonly bus: Bus;
  readonly registry: Registry;
  readonly folder: string;
  start(processor: AnyProcessor, options?: StartOptions): Promise<RunningProcessor>;
  publisher: ReturnType<typeof createPublisher>;
  /** Everything on a topic, by partition and offset. */
  all(topic: string): Promise<readonly BusRecord[]>;
  /** How many messages of a processor's input, or of this topic by a processor named `subject`, are not committed. */
  lag(of: Pick<AnyProcessor, 'name' | 'input'> | Topic): Promise<number>;
  end(): Promise<void>;
}

/** A real bus in a temporary folder, with every topic and the dead letters of these processors. */
export async function openBench(processors: readonly AnyProcessor[]): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-delivery-'));
  const bus = await createEmbeddedBus({ folder });
  await bus.ensureTopics(topicSettings(processors, defaults));
  const registry = new Registry();
  const running: RunningProcessor[] = [];
  return {
    bus,
    registry,
    folder,
    async start(processor, options = {}) {
      const started = await startProcessor(processor, {
        bus: options.bus ?? bus,
        ports: noPorts,
        codec: options.codec ?? codec,
        config: {},
        log: pino({ level: process.env['TEST_LOG'] ?? 'silent' }, process.stderr),
        registry,
        ledger: options.ledger ?? idleLedger,
        settings: { ...fast, ...options.settings },
        ...(options.onFatal === undefined ? {} : { onFatal: options.onFatal }),
      });
      running.push(started);
      return started;
    },
    publisher: createPublisher({ bus, codec }),
    all: (topic) => collect(bus, topic),
    async lag(of) {
      const { name, input } = 'input' in of ? of : { name: 'subject', input: of };
      const [ends, committed] = await Promise.all([bus.endOffsets(input.name), bus.committed(name, input.name)]);
      return ends.reduce((sum, end, partition) => sum + Number(end - (committed[partition] ?? 0n)), 0);
    },
    async end() {
      for (const processor of running) await processor.stop(0);
      await bus.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function collect(bus: Bus, topic: string): Promise<readonly BusRecord[]> {
  const records: BusRecord[] = [];
  for await (const record of bus.read(topic)) records.push(record);
  return records;
}

/** A purge, the smallest log message: its key is `document`. */
export const purge = (document: string, version = 1) => ({
  topic: topics.purges,
  value: { workspace: 'w', collection: 'c', document_id: document, version, version_hash: document, spaces: [] },
});

type Commands = readonly Output<typeof topics.documentCommands>[];

/** A processor of purges named `subject` that makes commands, eight at a time. */
export const purgeProcessor = (
  handle: (
    delivery: Delivery<typeof topics.purges>,
    context: HandlerContext<never, TObject>,
  ) => Promise<Commands> | AsyncIterable<Commands[number]>,
) =>
  defineProcessor({
    name: 'subject',
    input: topics.purges,
    outputs: [topics.documentCommands],
    ports: [],
    config: noConfig,
    concurrency: () => 8,
    handle,
  });
