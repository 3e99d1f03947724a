import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMoving } from './moving.js';
import { startServer } from './server.js';

describeMoving('embedded', async (environment) => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-moving-'));
  const server = await startServer(folder, environment);
  return {
    client: server.client,
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
