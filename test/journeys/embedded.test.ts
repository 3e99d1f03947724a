import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SluiceClient } from '../../gateway/client/client.js';
import { freePort } from '../stack/native-server.js';
import { describeDeadLetters } from './dead-letters.js';
import { describeDocumentLife } from './document-life.js';
import { describeModels } from './models.js';
import { describePause } from './pause.js';
import { reachEmbedded } from './reach.js';
import { describeRecovery, sweepOnRequest } from './recovery.js';
import { startServer } from './server.js';
import { describeSync } from './sync.js';
import { describeWatching } from './watching.js';

const start = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-journey-'));
  const server = await startServer(folder);
  return {
    client: server.client,
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

describeDocumentLife('embedded', start);
describeSync('embedded', start);

describeWatching('embedded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-journey-'));
  const port = String(await freePort());
  const startHere = () => startServer(folder, { SLUICE_GATEWAY_PORT: port });
  let server = await startHere();
  return {
    client: new SluiceClient({ url: server.url }),
    url: server.url,
    killGateway: () => server.kill(),
    restartGateway: async () => {
      server = await startHere();
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

describeDeadLetters('embedded', () => reachEmbedded());

describeRecovery('embedded', () => reachEmbedded(sweepOnRequest));

describePause('embedded', () => reachEmbedded());

describeModels('embedded', (environment) => reachEmbedded(environment));
