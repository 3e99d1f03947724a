import type { Logger } from 'pino';
import { createGateway } from '../gateway/gateway.js';
import { startSystemServer } from '../gateway/system-server.js';
import { librarian } from './librarian/librarian.js';
import { createRecovery } from './librarian/recovery.js';
import { startSweeper } from './librarian/sweeper.js';
import { pipeline } from './pipeline.js';
import { ensureInstallation } from './ports/installation.js';
import type { Ports } from './ports/ports.js';
import { openCodec } from './ports/wire.js';
import { runPipeline } from './run-pipeline.js';
import { createPublisher } from './runtime/delivery/publisher.js';
import { topicSettings } from './runtime/delivery/topic-settings.js';
import { createMetrics } from './runtime/metrics.js';
import type { AnyProcessor } from './runtime/processor.js';
import { portSettings, type readConfiguration } from './settings.js';
import { version } from './version.js';

/** What runs in this process. */
export interface Parts {
  readonly processors: readonly AnyProcessor[];
  /** Without it, a small server answers about health and figures. */
  readonly gateway: boolean;
}

/** All that there is: one process is the whole system. */
export const everything: Parts = { processors: pipeline, gateway: true };

export interface RunningParts {
  readonly url: string;
  /** Stops gateway, sweeper and processors, in that order; the ports stay open. */
  close(): Promise<void>;
}

export interface PartsOptions {
  readonly configuration: ReturnType<typeof readConfiguration>;
  readonly ports: Ports;
  readonly parts: Parts;
  readonly log: Logger;
  /** The process cannot go on. */
  onFatal(error: Error): void;
}

/**
 * Starts processors on these ports, beside the librarian its sweeper, then the gateway: a caller that gets through finds
 * all of it running. If a part cannot start, those before it are stopped again.
 */
export async function startParts({ configuration, ports, parts, log, onFatal }: PartsOptions): Promise<RunningParts> {
  const registry = createMetrics();
  const codec = openCodec(portSettings(configuration));
  const { graceMs } = configuration.section('server');
  const stops: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    await ensureInstallation(ports);
    await codec.prepare();
    await ports.bus.ensureTopics(topicSettings(pipeline, configuration.section('bus')));
    const running = await runPipeline(parts.processors, {
      ...{ ports, codec, log, registry, onFatal },
      configOf: ({ name }) => configuration.section(name as 'storage'),
    });
    stops.push(() => running.stop(graceMs));
    const publisher = createPublisher({ bus: ports.bus, codec });
    if (parts.processors.includes(librarian)) {
      const sweeper = startSweeper({ ports, publisher, config: configuration.section('sweeper'), log });
      stops.push(() => sweeper.stop());
    }
    const { health } = running;
    if (!parts.gateway) {
      const server = await startSystemServer({ health, registry, version }, configuration.section('worker'));
      stops.push(() => server.close());
      return { url: server.url, close };
    }
    const gateway = await createGateway({
      ...{ ports, publisher, codec, log, registry, version, onFatal, health },
      recovery: createRecovery(ports, publisher, configuration.section('sweeper')),
      config: configuration.section('gateway'),
    });
    stops.push(() => gateway.close());
    return { url: (await gateway.listen()).url, close };
  } catch (error) {
    await close();
    throw error;
  }
}
