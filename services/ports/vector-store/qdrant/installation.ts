import { SluiceError } from '../../../domain/errors.js';
import type { QdrantServer } from './server.js';
import { described } from './collections.js';

/** An empty collection whose metadata holds the id: creating it is one step, so two installations cannot both win. */
const markOf = (prefix: string): string => `${prefix}installation`;

/** The id that the collections of this prefix were marked with, or undefined when there is none. */
export async function readInstallation(server: QdrantServer, prefix: string): Promise<string | undefined> {
  const id = (await described(server, markOf(prefix)))?.config.metadata?.['installation_id'];
  return typeof id === 'string' ? id : undefined;
}

/** Throws installation-mismatch if another one was first. */
export async function writeInstallation(server: QdrantServer, prefix: string, id: string): Promise<void> {
  await server.create(markOf(prefix), { vectors: {}, metadata: { installation_id: id } });
  const found = await readInstallation(server, prefix);
  if (found === id) return;
  throw new SluiceError(
    'installation-mismatch',
    `the Qdrant collections "${prefix}*" belong to installation ${found ?? 'unknown (Qdrant 1.16 or newer is needed)'}: ` +
      `set qdrant.prefix to another one for installation ${id}`,
  );
}
