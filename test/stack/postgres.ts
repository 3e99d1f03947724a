import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { inContainers, startContainer } from './container-server.js';
import { freePort, run, startNativeServer } from './native-server.js';
import type { RealServer } from './real-server.js';

const releases = '/usr/lib/postgresql';

/** The folder of the newest installed release; installs Debian's package when there is none and we may. */
export async function installPostgres(): Promise<string> {
  if (!existsSync(releases)) {
    await run('apt-get', ['update', '-qq']);
    await run('apt-get', ['install', '-y', '-qq', 'postgresql'], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  }
  const newest = readdirSync(releases)
    .sort((a, b) => Number(a) - Number(b))
    .at(-1);
  return join(releases, newest ?? '', 'bin');
}

/** The server refuses root: root runs it as the package's own user. */
async function user(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const ids = await Promise.all(['-u', '-g'].map(async (flag) => Number(await run('id', [flag, 'postgres']))));
  return { uid: ids[0] ?? 0, gid: ids[1] ?? 0 };
}

/** PostgreSQL with an empty database `sluice`. */
export async function startPostgres(data: string): Promise<RealServer> {
  if (inContainers()) return postgresContainer();
  const bin = await installPostgres();
  const port = await freePort();
  const as = await user();
  await mkdir(data, { recursive: true });
  if (as.uid !== undefined && as.gid !== undefined) {
    await chown(data, as.uid, as.gid);
    await chmod(dirname(data), 0o711); // the other user has to get there
  }
  await run(`${bin}/initdb`, ['-D', data, '-A', 'trust', '-U', 'sluice', '-E', 'UTF8', '--locale=C.UTF-8'], as);
  await appendFile(
    join(data, 'postgresql.conf'),
    `listen_addresses='127.0.0.1'\nport=${port}\nunix_socket_directories='${data}'\nmax_connections=200\n`,
  );
  const server = await startNativeServer({
    name: 'PostgreSQL',
    url: `postgres://sluice@127.0.0.1:${port}/sluice`,
    command: `${bin}/postgres`,
    args: ['-D', data],
    options: as,
    healthy: async () => {
      await run(`${bin}/psql`, ['-h', '127.0.0.1', '-p', String(port), '-U', 'sluice', '-c', 'select 1', 'postgres']);
      return true;
    },
    stopSignal: 'SIGINT',
  });
  await run(`${bin}/createdb`, ['-h', '127.0.0.1', '-p', String(port), '-U', 'sluice', 'sluice']);
  return server;
}

async function postgresContainer(): Promise<RealServer> {
  const port = await freePort();
  const url = `postgres://sluice@127.0.0.1:${port}/sluice`;
  return startContainer({
    service: 'postgres',
    url,
    ports: [{ host: port, container: 5432 }],
    environment: { POSTGRES_USER: 'sluice', POSTGRES_DB: 'sluice', POSTGRES_HOST_AUTH_METHOD: 'trust' },
    command: ['postgres', '-c', 'max_connections=200'],
    healthy: async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.end();
      return true;
    },
  });
}
