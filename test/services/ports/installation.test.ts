import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFilesystemBlobStore } from '../../../services/ports/blob-store/filesystem/filesystem.js';
import { installationKey } from '../../../services/ports/blob-store/keys.js';
import { ensureInstallation } from '../../../services/ports/installation.js';
import type { Ports } from '../../../services/ports/ports.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-installation-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Ports of which only the ids matter here; any other call is a fault. */
async function portsOf(
  catalogId: string,
  vectorId?: string,
  workspaces: readonly string[] = [],
): Promise<{ ports: StoresOf; marked: () => string | undefined }> {
  let marked = vectorId;
  const ports = {
    catalog: { installationId: () => Promise.resolve(catalogId) },
    librarianStore: { workspaces: () => Promise.resolve(workspaces) },
    blobStore: await createFilesystemBlobStore({ folder }),
    vectorStore: {
      installationId: () => Promise.resolve(marked),
      markInstallation: (id: string) => {
        marked = id;
        return Promise.resolve();
      },
    },
  };
  return { ports: ports as unknown as StoresOf, marked: () => marked };
}
type StoresOf = Pick<Ports, 'catalog' | 'librarianStore' | 'blobStore' | 'vectorStore'>;

it('marks new stores, and finds them again', async () => {
  const { ports, marked } = await portsOf('one');
  expect(await ensureInstallation(ports)).toBe('one');
  expect(marked()).toBe('one');
  expect((await ports.blobStore.get(installationKey))?.toString()).toBe('one');
  expect(await ensureInstallation(ports)).toBe('one');
});

it('refuses a store of another installation, names it and writes nothing', async () => {
  const { ports } = await portsOf('one', 'two');
  await expect(ensureInstallation(ports)).rejects.toMatchObject({
    code: 'installation-mismatch',
    message: expect.stringContaining('the vector store to installation two') as string,
  });
  expect(await ports.blobStore.get(installationKey)).toBeUndefined();
});

it('refuses a blob store of another installation', async () => {
  await ensureInstallation((await portsOf('one')).ports);
  const { ports, marked } = await portsOf('two');
  await expect(ensureInstallation(ports)).rejects.toThrow('the blob store to installation one');
  expect(marked()).toBeUndefined();
});

it('refuses a new store beside a catalog that is in use', async () => {
  await ensureInstallation((await portsOf('one')).ports);
  const { ports, marked } = await portsOf('one', undefined, ['default']);
  await expect(ensureInstallation(ports)).rejects.toMatchObject({
    code: 'installation-mismatch',
    message: expect.stringContaining('the vector store is new and empty') as string,
  });
  expect(marked()).toBeUndefined();
});

it('is not misled by a process that marks the stores and begins at the same moment', async () => {
  const { ports } = await portsOf('one');
  const workspaces = async (): Promise<readonly string[]> => {
    await ports.blobStore.put(installationKey, Buffer.from('one'));
    await ports.vectorStore.markInstallation('one');
    return ['default'];
  };
  const racing = { ...ports, librarianStore: { ...ports.librarianStore, workspaces } };
  expect(await ensureInstallation(racing)).toBe('one');
});
