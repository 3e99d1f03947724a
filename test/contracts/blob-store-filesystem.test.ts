import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFilesystemBlobStore } from '../../services/ports/blob-store/filesystem/filesystem.js';
import { describeBlobStoreContract } from './blob-store-contract.js';

describeBlobStoreContract('filesystem', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-blobs-'));
  return {
    store: await createFilesystemBlobStore({ folder }),
    remove: () => rm(folder, { recursive: true }),
  };
});
