import pg from 'pg';
import { SluiceClient } from '../../gateway/client/client.js';
import { freePort } from '../stack/native-server.js';
import type { Servers } from '../stack/servers.js';
import type { Pipeline } from './document-life.js';
import { startSluice, type SluiceProcess } from './sluice-process.js';

/** What each process runs: the names of workers, or `gateway`. The first process with a gateway is the client's. */
export type Layout = Readonly<Record<string, readonly string[]>>;

const workers = ['librarian', 'decoder', 'chunker', 'embedder', 'vector-writer', 'query', 'document-rag'] as const;

/** One process per worker, or several, each named `<worker>-<number>`, and as many gateways. */
export const processesPerWorker = (count: number): Layout =>
  Object.fromEntries(
    [...workers, 'gateway'].flatMap((name) =>
      Array.from({ length: count }, (_, index) => [`${name}-${index + 1}`, [name]]),
    ),
  );

/** Processes on servers that other deployments may use too, each with data of its own there. */
export interface Deployment extends Pipeline {
  readonly client: SluiceClient;
  /** Of every process with a gateway. */
  readonly clients: readonly SluiceClient[];
  /** Those that run now, by name. */
  readonly processes: ReadonlyMap<string, SluiceProcess>;
  /** `SLUICE_*` of its processes, for one that a test adds. */
  readonly environment: Readonly<Record<string, string>>;
  /** SIGKILL; resolves when the process is gone. */
  kill(name: string): Promise<void>;
  /** SIGTERM, unless it is gone, and the same process anew, with the same gateway port; resolves when it listens. */
  restart(name: string): Promise<{ readonly exitCode: number | null }>;
  /** SIGTERM to all; resolves with the exit codes by name. */
  stop(): Promise<Readonly<Record<string, number | null>>>;
}

let deployments = 0;

/** Settings under which a deployment shares nothing with others on the same servers but them. */
async function ownPlaces(servers: Servers): Promise<Record<string, string>> {
  const name = `deployment_${process.pid}_${++deployments}`;
  const client = new pg.Client({ connectionString: servers.postgres.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return {
    SLUICE_KAFKA_TOPIC_PREFIX: `${name}.`,
    SLUICE_S3_PREFIX: `${name}/`,
    SLUICE_QDRANT_PREFIX: `${name}-`,
    SLUICE_POSTGRES_URL: servers.postgres.url.replace(/\/sluice$/, `/${name}`),
  };
}

/**
 * Starts every process of the layout at once and waits until all of them listen. `programOf` is asked at each start for
 * the file of another build's command line.
 */
export async function startDeployment(
  servers: Servers,
  layout: Layout = processesPerWorker(1),
  settings: Readonly<Record<string, string>> = {},
  programOf: (name: string) => string | undefined = () => undefined,
): Promise<Deployment> {
  const environment = { ...servers.environment, ...(await ownPlaces(servers)), ...settings };
  const gateways = new Map<string, number>();
  for (const [name, parts] of Object.entries(layout)) {
    if (parts.includes('gateway')) gateways.set(name, await freePort());
  }
  const processes = new Map<string, SluiceProcess>();
  const start = async (name: string): Promise<void> => {
    const port = gateways.get(name);
    const command = port === undefined ? ['worker', ...(layout[name] ?? [])] : ['gateway'];
    const ports = { SLUICE_WORKER_PORT: '0', SLUICE_GATEWAY_PORT: String(port ?? 0) };
    processes.set(name, await startSluice(name, command, { ...environment, ...ports }, programOf(name)));
  };
  const stop = async (): Promise<Readonly<Record<string, number | null>>> => {
    await Promise.all(clients.map((client) => client.close()));
    const ended = [...processes].map(async ([name, { stop }]) => [name, await stop()] as const);
    return Object.fromEntries(await Promise.all(ended));
  };
  const clients: SluiceClient[] = [];
  const started = await Promise.allSettled(Object.keys(layout).map(start));
  const failed = started.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  const urls = [...gateways.keys()].flatMap((name) => processes.get(name)?.url ?? []);
  clients.push(...urls.map((url) => new SluiceClient({ url, maxRetries: 0 })));
  const [[client], [url]] = [clients, urls];
  if (client === undefined || url === undefined) throw new Error('a deployment needs a process with a gateway');
  const named = (name: string): SluiceProcess => {
    const found = processes.get(name);
    if (found === undefined) throw new Error(`no process is called ${name}: ${Object.keys(layout).join(', ')}`);
    return found;
  };
  return {
    ...{ client, clients, url, processes, environment, stop },
    kill: (name) => named(name).kill(),
    async restart(name) {
      const exitCode = await named(name).stop();
      await start(name);
      return { exitCode };
    },
  };
}
