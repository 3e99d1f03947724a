import { afterAll } from 'vitest';
import { startOrSkip } from '../stack/start-or-skip.js';
import { startServers } from '../stack/servers.js';
import { alternating } from './alternating.js';
import { describeDeadLetters } from './dead-letters.js';
import { processesPerWorker, startDeployment } from './deployment.js';
import { describeDocumentLife } from './document-life.js';
import { describeModels } from './models.js';
import { describePause } from './pause.js';
import { reachDeployment } from './reach.js';
import { describeRecovery, sweepOnRequest } from './recovery.js';
import { describeSync } from './sync.js';
import { describeWatching } from './watching.js';

const servers = await startOrSkip('the servers', startServers);
afterAll(() => servers?.stop());

if (servers !== undefined) {
  describeDocumentLife('on servers, with a process of each kind', () => startDeployment(servers));

  describeDocumentLife('on servers, with two processes of each kind, asked in turn', async () => {
    const deployment = await startDeployment(servers, processesPerWorker(2));
    return { ...deployment, client: alternating(deployment.clients) };
  });

  describeDeadLetters('on servers', async () =>
    reachDeployment(await startDeployment(servers, { workers: ['all'], gateway: ['gateway'] })),
  );

  describePause('on servers', () => startDeployment(servers, { workers: ['all'], gateway: ['gateway'] }));

  describeRecovery('on servers', async () =>
    reachDeployment(await startDeployment(servers, { workers: ['all'], gateway: ['gateway'] }, sweepOnRequest)),
  );

  describeModels('on servers', (environment) => startDeployment(servers, processesPerWorker(1), environment));

  describeSync('on servers', () => startDeployment(servers, { gateway: ['gateway'], workers: ['all'] }));

  describeWatching('on servers', async () => {
    const deployment = await startDeployment(servers, { gateway: ['gateway'], workers: ['all'] });
    return {
      ...deployment,
      killGateway: () => deployment.kill('gateway'),
      restartGateway: async () => {
        await deployment.restart('gateway');
      },
    };
  });
}
