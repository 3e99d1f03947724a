import { SluiceError } from '../domain/errors.js';
import { installationKey } from './blob-store/keys.js';
import type { Ports } from './ports.js';

/**
 * Makes sure that catalog, blob store and vector store belong together: each carries the id that the catalog made. New
 * stores are marked with it; if one carries another id, nothing is written and installation-mismatch names it.
 */
export async function ensureInstallation({
  catalog,
  blobStore,
  vectorStore,
}: Pick<Ports, 'catalog' | 'blobStore' | 'vectorStore'>): Promise<string> {
  const id = await catalog.installationId();
  const stores = [
    {
      name: 'blob store',
      found: (await blobStore.get(installationKey))?.toString('utf8').trim(),
      mark: () => blobStore.put(installationKey, Buffer.from(id)),
    },
    {
      name: 'vector store',
      found: await vectorStore.installationId(),
      mark: () => vectorStore.markInstallation(id),
    },
  ];
  const strangers = stores.filter(({ found }) => found !== undefined && found !== id);
  if (strangers.length > 0) {
    const named = strangers.map(({ name, found }) => `the ${name} to installation ${found}`).join(', ');
    throw new SluiceError(
      'installation-mismatch',
      `the catalog belongs to installation ${id}, ${named}: nothing was changed; point all three at stores of one installation`,
    );
  }
  for (const { found, mark } of stores) if (found === undefined) await mark();
  return id;
}
