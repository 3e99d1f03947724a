import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeDeadLetters } from './dead-letters.js';
import { describeDocumentLife } from './document-life.js';
import { describePause } from './pause.js';
import { reachEmbedded } from './reach.js';
import { describeRecovery, sweepOnRequest } from './recovery.js';
import { startServer } from './server.js';

describeDocumentLife('embedded', async () => {
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
});

describeDeadLetters('embedded', () => reachEmbedded());

describeRecovery('embedded', () => reachEmbedded(sweepOnRequest));

describePause('embedded', () => reachEmbedded());
