import { afterAll } from 'vitest';
import { startOrSkip } from '../stack/start-or-skip.js';
import { startServers } from '../stack/servers.js';
import { alternating } from './alternating.js';
import { processesPerWorker, startDeployment } from './deployment.js';
import { describeMoving } from './moving.js';

const servers = await startOrSkip('the servers', startServers);
afterAll(() => servers?.stop());

if (servers !== undefined) {
  describeMoving('on servers, with two librarians and gateways', async (environment) => {
    const layout = { ...processesPerWorker(1), ...two('librarian'), ...two('gateway') };
    const deployment = await startDeployment(servers, layout, environment);
    return { ...deployment, client: alternating(deployment.clients) };
  });
}

function two(name: string): Record<string, readonly string[]> {
  return { [`${name}-1`]: [name], [`${name}-2`]: [name] };
}
