import { afterAll, beforeAll, describe, it } from 'vitest';
import { startOrSkip } from '../stack/start-or-skip.js';
import { startServers } from '../stack/servers.js';
import type { EndState } from './end-state.js';
import { cleanRun, outage, serverNames } from './outage.js';

const servers = await startOrSkip('the servers', startServers);
afterAll(() => servers?.stop());

if (servers !== undefined) {
  describe('a server that is away for ten seconds during a load', () => {
    let clean: EndState;
    beforeAll(async () => {
      clean = await cleanRun(servers);
    }, 120_000);

    it.each(serverNames)(
      '%s: nothing fails, and all is as if it had been there',
      { timeout: 180_000 },
      async (name) => {
        await outage(servers, name, 10_000, clean);
      },
    );
  });
}
