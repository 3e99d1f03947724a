import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inContainers, startContainer } from './container-server.js';
import { freePort, installFolder, run, startNativeServer } from './native-server.js';
import type { RealServer } from './real-server.js';

const engine = 'qdrant-edge-py==0.7.2';
/** Of the project that is the working directory: this file may run compiled, too. */
const program = resolve('test/stack/qdrant-local.py');

export async function installQdrant(): Promise<string> {
  const folder = join(installFolder(), engine);
  const python = join(folder, 'bin', 'python');
  if (
    existsSync(join(folder, 'bin', 'pip')) &&
    (await run(python, ['-c', 'import qdrant_edge']).catch(() => '-')) === ''
  ) {
    return python;
  }
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin', 'pip'), ['install', '-q', engine]);
  return python;
}

/** Qdrant's REST API over the Qdrant team's own engine; search is exact, there is no HNSW index. */
export async function startQdrant(data: string, apiKey?: string): Promise<RealServer> {
  if (inContainers()) return qdrantContainer(apiKey);
  const python = await installQdrant();
  const port = await freePort();
  await mkdir(data, { recursive: true });
  const url = `http://127.0.0.1:${port}`;
  return startNativeServer({
    name: 'Qdrant',
    url,
    command: python,
    args: [program, '--port', String(port), '--data', data, ...(apiKey === undefined ? [] : ['--api-key', apiKey])],
    healthy: async () => (await fetch(`${url}/healthz`)).ok,
  });
}

async function qdrantContainer(apiKey: string | undefined): Promise<RealServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  return startContainer({
    service: 'qdrant',
    url,
    ports: [{ host: port, container: 6333 }],
    environment: apiKey === undefined ? {} : { QDRANT__SERVICE__API_KEY: apiKey },
    healthy: async () => (await fetch(`${url}/readyz`)).ok,
  });
}
