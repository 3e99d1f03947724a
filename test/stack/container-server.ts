import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { untilHealthy, type RealServer } from './real-server.js';

export interface ContainerOptions {
  /** Of a service in docker-compose.yml, whose image it runs. */
  readonly service: string;
  readonly url: string;
  /** Published at the loopback interface; the host's are chosen here, so that a restart keeps them. */
  readonly ports: readonly { readonly host: number; readonly container: number }[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Contents by path in the container. */
  readonly files?: Readonly<Record<string, string>>;
  /** Takes the place of the image's own. */
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  /** Whether it answers; asked again and again until the time-out. */
  healthy(): Promise<boolean>;
  readonly timeoutMs?: number;
}

const sockets = ['/var/run/docker.sock', join(homedir(), '.docker', 'run', 'docker.sock')];

/** Whether there is a Docker to run servers in. `SLUICE_TEST_SERVERS=native` prefers processes all the same. */
export const inContainers = (): boolean =>
  process.env['SLUICE_TEST_SERVERS'] !== 'native' &&
  (process.env['DOCKER_HOST'] !== undefined || sockets.some((socket) => existsSync(socket)));

/** The image that docker-compose.yml pins for a service. Throws if it has none. */
export async function imageOf(service: string): Promise<string> {
  const compose = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, { readonly image?: string }>>;
  };
  const image = compose.services[service]?.image;
  if (image === undefined) throw new Error(`docker-compose.yml has no image for ${service}`);
  return image;
}

/** Starts a server in a container and waits until it is healthy; the container goes when this process has ended. */
export async function startContainer(options: ContainerOptions): Promise<RealServer> {
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
  const definition = new GenericContainer(await imageOf(options.service))
    .withExposedPorts(...options.ports)
    .withEnvironment({ ...options.environment })
    .withCopyContentToContainer(
      Object.entries(options.files ?? {}).map(([target, content]) => ({ target, content, mode: 0o644 })),
    )
    .withStartupTimeout(options.timeoutMs ?? 120_000);
  if (options.entrypoint !== undefined) definition.withEntrypoint([...options.entrypoint]);
  if (options.command !== undefined) definition.withCommand([...options.command]);
  const started = await definition.start();
  const runtime = await getContainerRuntimeClient();
  const container = runtime.container.getById(started.getId());
  const answering = (): Promise<void> =>
    untilHealthy(options.healthy, options.timeoutMs ?? 120_000, (timeIsUp) =>
      timeIsUp ? `${options.service} does not answer at ${options.url}` : undefined,
    );
  await answering();
  return {
    url: options.url,
    async stop(signal = 'SIGTERM') {
      if (!(await container.inspect()).State.Running) return;
      await container.kill({ signal });
      await container.wait();
    },
    async restart() {
      await container.start();
      await answering();
    },
    hang: () => void container.pause(),
    wake: () => void container.unpause(),
  };
}
