import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Codec } from '../schema/codec.js';
import type { Ports } from './ports/ports.js';
import { startProcessor, type RunningProcessor } from './runtime/delivery/start-processor.js';
import type { HealthSource } from './runtime/health.js';
import type { AnyProcessor } from './runtime/processor.js';

export interface PipelineEnvironment {
  readonly ports: Ports;
  readonly codec: Codec;
  readonly log: Logger;
  readonly registry: Registry;
  /** The settings of a processor's own section. */
  configOf(processor: AnyProcessor): Readonly<Record<string, unknown>>;
  onFatal(error: Error): void;
}

export interface RunningPipeline {
  readonly health: readonly HealthSource[];
  /** Stops all at once; each finishes what it is at within `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Starts these processors, whose topics exist; if one cannot start, those that did are stopped again. */
export async function runPipeline(
  processors: readonly AnyProcessor[],
  environment: PipelineEnvironment,
): Promise<RunningPipeline> {
  const { ports, codec, log, registry, configOf, onFatal } = environment;
  const running: RunningProcessor[] = [];
  const stop = async (graceMs: number): Promise<void> => {
    await Promise.all(running.map((processor) => processor.stop(graceMs)));
  };
  try {
    for (const processor of processors) {
      const config = configOf(processor);
      running.push(await startProcessor(processor, { bus: ports.bus, ports, codec, config, log, registry, onFatal }));
    }
  } catch (error) {
    await stop(0);
    throw error;
  }
  return { health: running, stop };
}
