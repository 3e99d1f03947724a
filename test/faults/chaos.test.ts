import { afterAll, it } from 'vitest';
import { startOrSkip } from '../stack/start-or-skip.js';
import { startServers } from '../stack/servers.js';
import { chaosOptions, runChaos } from './chaos/run.js';

const options = chaosOptions({ seed: 20_261_201, seconds: 60, documents: 60, processes: 3 });

const servers = await startOrSkip('the servers', startServers);
afterAll(() => servers?.stop());

if (servers !== undefined) {
  it('ends as a clean run, whatever happens on the way', { timeout: (options.seconds + 900) * 1000 }, () =>
    runChaos(servers, options),
  );
}
