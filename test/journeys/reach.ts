import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCodec, openPorts } from '../../services/ports/wire.js';
import { portSettings, readConfiguration } from '../../services/settings.js';
import type { ReachablePipeline } from './dead-letters.js';
import type { Deployment } from './deployment.js';
import { startInProcess } from './in-process-server.js';

/** The embedded server in this process, on a folder of its own. */
export async function reachEmbedded(env: Record<string, string> = {}): Promise<ReachablePipeline> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-journey-'));
  const server = await startInProcess(folder, { SLUICE_LOG_LEVEL: 'fatal', ...env }, (ports) => ports);
  const codec = openCodec(portSettings(readConfiguration({ env, data: folder })));
  await codec.prepare();
  return {
    ...{ client: server.client, url: server.url, ports: server.ports, codec },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A deployment, with ports of this process's own on its servers. */
export async function reachDeployment(deployment: Deployment): Promise<ReachablePipeline> {
  const settings = portSettings(readConfiguration({ env: { ...deployment.environment } }));
  const ports = await openPorts(settings);
  const codec = openCodec(settings);
  await codec.prepare();
  return {
    ...{ client: deployment.client, url: deployment.url, ports, codec },
    stop: async () => {
      await ports.close();
      await deployment.stop();
    },
  };
}
