import { SluiceClient } from '../../gateway/client/client.js';
import type { Ports } from '../../services/ports/ports.js';
import { openPorts } from '../../services/ports/wire.js';
import { createLogger } from '../../services/runtime/log.js';
import { portSettings, readConfiguration } from '../../services/settings.js';
import { everything, startParts } from '../../services/start-parts.js';

export interface InProcessServer {
  readonly url: string;
  readonly client: SluiceClient;
  readonly ports: Ports;
  stop(): Promise<void>;
}

/** The whole embedded server in this process, so that a test can come between it and a port. */
export async function startInProcess(
  folder: string,
  env: Record<string, string>,
  wrap: (ports: Ports) => Ports,
): Promise<InProcessServer> {
  const configuration = readConfiguration({ env: { SLUICE_LOG_LEVEL: 'error', ...env }, data: folder, port: 0 });
  const open = await openPorts(portSettings(configuration));
  const failed: Error[] = [];
  const ports = wrap(open);
  const log = createLogger(configuration.section('log'));
  const server = await startParts({
    configuration,
    ports,
    parts: everything,
    log,
    onFatal: (error) => failed.push(error),
  });
  const client = new SluiceClient({ url: server.url, maxRetries: 0 });
  return {
    url: server.url,
    client,
    ports,
    stop: async () => {
      await client.close();
      await server.close();
      await ports.bus.close();
      await open.close();
      if (failed[0] !== undefined) throw failed[0];
    },
  };
}
