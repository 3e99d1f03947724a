import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddingModels } from '../../services/ports/embedding-model/embedding-models.js';
import type { EmbeddingModel } from '../../services/ports/embedding-model/port.js';
import type { Ports } from '../../services/ports/ports.js';
import { startInProcess } from '../journeys/in-process-server.js';
import type { BenchDocument } from './documents.js';
import { load, type Load } from './load.js';

/** A fresh server with this model; what was loaded before counts nothing. */
export async function withServer<T>(
  documents: readonly BenchDocument[],
  wrap: (ports: Ports) => Ports,
  use: (run: Run) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const server = await startInProcess(folder, {}, wrap);
  try {
    await server.client.createCollection({ collection: 'warm' });
    await server.client.createCollection({ collection: 'bench' });
    await load(server.client, 'warm', documents.slice(0, 20));
    return await use({ load: () => load(server.client, 'bench', documents), url: server.url });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Run {
  readonly url: string;
  load(): Promise<Load>;
}

export const withModel =
  (model: EmbeddingModel) =>
  (ports: Ports): Ports => ({ ...ports, embeddingModels: createEmbeddingModels([model]) });
