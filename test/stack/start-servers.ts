// Starts the servers of the distributed run and prints the settings that lead there, until it is stopped:
// `node dist/test/stack/start-servers.js > servers.env`, then `set -a; . ./servers.env; sluice serve`.
import { startServers } from './servers.js';

const servers = await startServers();
for (const [name, value] of Object.entries(servers.environment)) process.stdout.write(`${name}='${value}'\n`);
const alive = setInterval(() => undefined, 60_000);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    clearInterval(alive);
    void servers.stop();
  });
}
