import { afterAll, beforeAll, describe, it } from 'vitest';
import { cleanRun, outage, serverNames } from '../faults/outage.js';
import type { EndState } from '../faults/end-state.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { startServers } from '../stack/servers.js';

/** `OUTAGE_MINUTES=60` by hand. */
const minutes = Number(process.env['OUTAGE_MINUTES'] ?? 5);

const servers = await startOrSkip('the servers', startServers);
afterAll(() => servers?.stop());

if (servers !== undefined) {
  describe(`a server that is away for ${minutes} minutes during a load`, () => {
    let clean: EndState;
    beforeAll(async () => {
      clean = await cleanRun(servers);
    }, 120_000);

    it.each(serverNames)('%s', { timeout: (minutes + 10) * 60_000 }, async (name) => {
      const { recoveryMs } = await outage(servers, name, minutes * 60_000, clean);
      const seconds = (recoveryMs / 1000).toFixed(1);
      process.stderr.write(`${name} away for ${minutes} minutes: all done ${seconds} s after its return\n`);
    });
  });
}
