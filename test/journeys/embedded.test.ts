import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeDocumentLife } from './document-life.js';
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
