import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { createQdrantVectorStore, type QdrantVectorStore } from '../../services/ports/vector-store/qdrant/qdrant.js';
import { qdrantConfig } from '../../services/ports/vector-store/qdrant/qdrant-config.js';
import type { RealServer } from '../stack/real-server.js';
import { startQdrant } from '../stack/qdrant.js';
import { startOrSkip } from '../stack/start-or-skip.js';

/** The server that `QDRANT_URL` names, or one of this file's own; undefined where neither can be had. */
export async function qdrantServer(): Promise<RealServer | undefined> {
  const url = process.env['QDRANT_URL'];
  if (url === undefined) return ownQdrant();
  return {
    url,
    stop: () => Promise.resolve(),
    restart: () => Promise.resolve(),
    hang: () => undefined,
    wake: () => undefined,
  };
}

/** One that can be broken and killed. */
export const ownQdrant = (key?: string): Promise<RealServer | undefined> =>
  startOrSkip('Qdrant', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-qdrant-'));
    const server = await startQdrant(join(folder, 'data'), key);
    return {
      ...server,
      async stop(signal) {
        await server.stop(signal);
        if (signal === undefined) await rm(folder, { recursive: true });
      },
    };
  });

/** A store with the defaults of the configuration, under a prefix of its own unless one is given. */
export const openQdrant = (url: string, given: object = {}): Promise<QdrantVectorStore> => {
  const apiKey = process.env['QDRANT_API_KEY'] ?? '';
  const settings = { url, apiKey, prefix: `test-${randomUUID()}-`, ...given };
  return createQdrantVectorStore(Value.Parse(qdrantConfig, settings));
};

/** A request of the server's own API, as its documentation has it. */
export async function callQdrant(url: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', 'api-key': process.env['QDRANT_API_KEY'] ?? '' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}
