import { SluiceError } from '../domain/errors.js';
import { installationKey } from './blob-store/keys.js';
import type { Ports } from './ports.js';

/**
 * Makes sure that catalog, blob store and vector store belong together: each carries the id that the catalog made. New
 * stores are marked with it. A store with another id, or a new one beside a catalog that is in use (its content was
 * lost), is installation-mismatch, which names it; nothing is written then.
 */
export async function ensureInstallation({
  catalog,
  librarianStore,
  blobStore,
  vectorStore,
}: Pick<Ports, 'catalog' | 'librarianStore' | 'blobStore' | 'vectorStore'>): Promise<string> {
  const id = await catalog.installationId();
  const marks = [
    {
      name: 'blob store',
      read: async () => (await blobStore.get(installationKey))?.toString('utf8').trim(),
      write: () => blobStore.put(installationKey, Buffer.from(id)),
    },
    {
      name: 'vector store',
      read: () => vectorStore.installationId(),
      write: () => vectorStore.markInstallation(id),
    },
  ];
  const readAll = () => Promise.all(marks.map(async (mark) => ({ ...mark, found: await mark.read() })));
  const unmarkedOf = (stores: Awaited<ReturnType<typeof readAll>>) => {
    const strangers = stores.filter(({ found }) => found !== undefined && found !== id);
    if (strangers.length === 0) return stores.filter(({ found }) => found === undefined);
    const named = strangers.map(({ name, found }) => `the ${name} to installation ${found}`).join(', ');
    throw new SluiceError(
      'installation-mismatch',
      `the catalog belongs to installation ${id}, ${named}: nothing was changed; point all three at stores of one installation`,
    );
  };
  let unmarked = unmarkedOf(await readAll());
  if (unmarked.length > 0 && (await librarianStore.workspaces()).length > 0) {
    // Another process may have marked the stores and begun since they were read: nothing is begun before that.
    unmarked = unmarkedOf(await readAll());
    if (unmarked.length > 0) {
      const lost = unmarked.map(({ name }) => `the ${name}`).join(' and ');
      throw new SluiceError(
        'installation-mismatch',
        `the catalog is in use, but ${lost} is new and empty: nothing was changed; put back what stood there, or begin ` +
          'anew with an empty data folder and load the documents again',
      );
    }
  }
  for (const { write } of unmarked) await write();
  return id;
}
