import { trace, type Tracer } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Codec } from '../../../schema/codec.js';
import type { Bus, Consumer } from '../../ports/bus/port.js';
import type { DeliveryLedger } from '../../ports/catalog/port.js';
import type { Ports } from '../../ports/ports.js';
import type { AnyProcessor, BatchLimits } from '../processor.js';
import { Attempts } from './attempt.js';
import { Committer } from './committer.js';
import { contextFactory } from './context.js';
import { Dispatcher, type DispatcherOptions } from './dispatcher.js';
import { Dispatchers } from './dispatchers.js';
import { Emitter } from './emitter.js';
import { Failures } from './failures.js';
import { Heartbeat, type ProcessorHealth } from './heartbeat.js';
import { Intake } from './intake.js';
import { deliveryMetrics } from './metrics.js';
import { RequestWatch } from './request-watch.js';
import { defaultDeliverySettings, type DeliverySettings } from './settings.js';
import { StartLedger } from './start-ledger.js';
import type { Task } from './task.js';

export interface ProcessorEnvironment {
  readonly bus: Bus;
  readonly ports: Ports;
  readonly codec: Codec;
  /** Of the processor's own schema, defaults filled in. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly log: Logger;
  readonly registry: Registry;
  readonly tracer?: Tracer;
  /** Where starts are counted; default: the catalog. */
  readonly ledger?: DeliveryLedger;
  readonly settings?: Partial<DeliverySettings>;
  /** The consumer cannot go on and the process is to end. Default: an uncaught exception. */
  onFatal?(error: Error): void;
}

export interface RunningProcessor {
  readonly name: string;
  /**
   * Stops fetching, lets running handlers finish within `graceMs`, aborts the others, commits what is finished and
   * leaves the group. What was not finished is delivered again at the next start.
   */
  stop(graceMs: number): Promise<void>;
  health(): ProcessorHealth;
}

const oneByOne: BatchLimits = { maxItems: 1, maxBytes: Number.POSITIVE_INFINITY, lingerMs: 0 };

/** Joins the processor's group and handles its messages until it is stopped. Rejects if the bus cannot be joined. */
export async function startProcessor(
  processor: AnyProcessor,
  environment: ProcessorEnvironment,
): Promise<RunningProcessor> {
  const { bus, ports, codec, config, registry, tracer = trace.getTracer('sluice') } = environment;
  const settings = { ...defaultDeliverySettings, ...environment.settings };
  const log = environment.log.child({ processor: processor.name });
  const metrics = deliveryMetrics(registry);
  const request = processor.input.class === 'request';
  const heartbeat = new Heartbeat(settings.sessionTimeoutMs);
  const fatal = (error: Error): void => {
    heartbeat.stop();
    log.fatal({ err: error }, 'the consumer cannot go on');
    if (environment.onFatal !== undefined) environment.onFatal(error);
    else
      queueMicrotask(() => {
        throw error;
      });
  };

  // Messages may be handled before joining has come to its end.
  const membership: { consumer?: Consumer } = {};
  const emitter = new Emitter({ processor: processor.name, bus, codec, settings });
  const watch = request
    ? new RequestWatch((correlationId) => {
        dispatcher.cancel(correlationId);
      })
    : undefined;
  const ledger = request ? undefined : new StartLedger(processor.name, bus, environment.ledger ?? ports.catalog, log);
  const dependencyOf = ({ record }: Task): string => processor.dependency?.(record.key ?? '') ?? '';
  const failures = new Failures({ processor, dependencyOf, emitter, settings, log, metrics });
  const committer = new Committer({
    processor: processor.name,
    intervalMs: settings.commitIntervalMs,
    log,
    consumer: () => membership.consumer,
    committed: () => {
      intake.regulate();
    },
  });
  const dispatcherOptions: DispatcherOptions = {
    concurrency: Math.max(1, processor.concurrency?.(config) ?? 1),
    limits: 'handleBatch' in processor ? processor.batch(config) : oneByOne,
    attempts: new Attempts({
      processor,
      codec,
      emitter,
      contextFor: contextFactory(processor, { ports, config, log }),
      watch,
      tracer,
      metrics,
      settings,
    }),
    failures,
    log,
    request,
    aloneInHand: async (task) => ledger?.noteSuspect(task.progress, task.record.offset),
    aloneDone: async (task) => ledger?.releaseSuspect(task.progress),
    async finished(task, outcome) {
      if (outcome !== 'dead-letter' && outcome !== 'error-reply') metrics.handled(processor.name, outcome);
      task.progress.finish(task.record.offset);
      intake.release(task);
      committer.schedule(task.progress);
      intake.regulate();
      if (task.alone) await committer.flush();
    },
    dropped: (task) => {
      intake.release(task);
    },
  };
  const dispatcher = new Dispatchers(dependencyOf, () => new Dispatcher(dispatcherOptions));
  const intake: Intake = new Intake({
    maxFetchedBytes: settings.maxFetchedBytes,
    findings: async (partitions) =>
      (await ledger?.findings(partitions)) ?? partitions.map(() => ({ alone: false, deadly: undefined })),
    add: (task) => {
      dispatcher.add(task);
    },
    revoke: (progress) => {
      dispatcher.revoke(progress);
    },
    fatal,
  });

  await watch?.start(processor.name, bus, codec, fatal);
  const consumer = await bus.consume(
    { group: processor.name, topics: [processor.input.name], from: 'committed' },
    intake,
  );
  membership.consumer = consumer;
  intake.attach(consumer);
  const unobserve = metrics.observe({
    name: processor.name,
    bytesInFlight: () => intake.bytes(),
    joined: () => consumer.joined(),
    lag: () => lagOf(bus, processor),
  });

  let stopped: Promise<void> | undefined;
  const stop = async (graceMs: number): Promise<void> => {
    intake.stop();
    await dispatcher.stop(graceMs);
    await committer.flush();
    await consumer.close();
    await watch?.stop();
    await ledger?.clear();
    heartbeat.stop();
    unobserve();
  };
  return {
    name: processor.name,
    stop: (graceMs) => (stopped ??= stop(graceMs)),
    health: () => ({ live: heartbeat.live(), ready: consumer.joined() && watch?.joined() !== false }),
  };
}

async function lagOf(bus: Bus, { name, input }: AnyProcessor): Promise<number> {
  const [ends, committed] = await Promise.all([bus.endOffsets(input.name), bus.committed(name, input.name)]);
  return ends.reduce((sum, end, partition) => sum + Number(end - (committed[partition] ?? 0n)), 0);
}
