import { createGateway } from '../gateway/gateway.js';
import { singleObjectCodec } from '../schema/single-object.js';
import { readConfiguration, type ServeOptions } from './settings.js';
import { pipeline } from './pipeline.js';
import { ensureInstallation } from './ports/installation.js';
import { openPorts } from './ports/wire.js';
import { runPipeline } from './run-pipeline.js';
import { createPublisher } from './runtime/delivery/publisher.js';
import { createLogger } from './runtime/log.js';
import { createMetrics } from './runtime/metrics.js';
import { startSweeper } from './librarian/sweeper.js';
import { version } from './version.js';

export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Opens the ports, starts every processor, then the gateway: a caller that gets through finds all of it running. What
 * has been started is stopped again, in reverse, at the end or when a later part cannot start.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const configuration = readConfiguration(options);
  const log = createLogger(configuration.section('log'), process.stderr);
  const registry = createMetrics();
  const codec = singleObjectCodec();
  const { graceMs } = configuration.section('server');
  const stops: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  const onFatal = (error: Error): void => {
    log.fatal({ err: error }, 'Sluice cannot go on');
    process.exit(1);
  };
  try {
    const ports = await openPorts({
      storage: configuration.section('storage'),
      extractive: configuration.section('extractive'),
    });
    stops.push(() => ports.close());
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
    const { url } = await gateway.listen();
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}
