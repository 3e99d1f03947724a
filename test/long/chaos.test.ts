import { afterAll, it } from 'vitest';
import { chaosOptions, runChaos } from '../faults/chaos/run.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { startServers } from '../stack/servers.js';

const share = Number(process.env['LONG_TEST_SHARE'] ?? 1);
const options = chaosOptions({
  seed: Math.floor(Date.now() / 1000),
  seconds: Math.ceil(1800 * share),
  documents: Math.ceil(300 * share),
  processes: 8,
});

const servers = await startOrSkip('the servers', startServers);
afterAll(() => servers?.stop());

if (servers !== undefined) {
  it(
    `ends as a clean run, whatever happens in ${options.seconds} seconds to ${options.documents} documents`,
    { timeout: (options.seconds + 1800) * 1000 },
    () => runChaos(servers, options),
  );
}
