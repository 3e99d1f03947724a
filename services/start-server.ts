import type { Logger } from 'pino';
import { createGateway } from '../gateway/gateway.js';
import { singleObjectCodec } from '../schema/single-object.js';
import { startSweeper } from './librarian/sweeper.js';
import { pipeline } from './pipeline.js';
import { ensureInstallation } from './ports/installation.js';
import type { Ports } from './ports/ports.js';
import { runPipeline } from './run-pipeline.js';
import { createPublisher } from './runtime/delivery/publisher.js';
import { createMetrics } from './runtime/metrics.js';
import type { readConfiguration } from './settings.js';
import { version } from './version.js';

export interface RunningServer {
  readonly url: string;
  /** Stops gateway, sweeper and processors, in that order; the ports stay open. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly configuration: ReturnType<typeof readConfiguration>;
  readonly ports: Ports;
  readonly log: Logger;
  /** The process cannot go on. */
  onFatal(error: Error): void;
}

/**
 * Starts every processor on these ports, then the gateway: a caller that gets through finds all of it running. If a
 * part cannot start, those before it are stopped again.
 */
export async function startServer({ configuration, ports, log, onFatal }: ServerOptions): Promise<RunningServer> {
  const registry = createMetrics();
  const codec = singleObjectCodec();
  const { graceMs } = configuration.section('server');
  const stops: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    await ensureInstallation(ports);
    await codec.prepare();
    const running = await runPipeline(pipeline, {
      ...{ ports, codec, log, registry, onFatal, topics: configuration.section('bus') },
      configOf: ({ name }) => configuration.section(name as 'storage'),
    });
    stops.push(() => running.stop(graceMs));
    const publisher = createPublisher({ bus: ports.bus, codec });
    const sweeper = startSweeper({ ports, publisher, config: configuration.section('sweeper'), log });
    stops.push(() => sweeper.stop());
    const gateway = await createGateway({
      ...{ ports, publisher, codec, log, registry, version, onFatal },
      config: configuration.section('gateway'),
      health: running.health,
    });
    stops.push(() => gateway.close());
    return { url: (await gateway.listen()).url, close };
  } catch (error) {
    await close();
    throw error;
  }
}
