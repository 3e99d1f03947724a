import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createPgliteCatalog } from '../../services/ports/catalog/pglite/pglite-catalog.js';
import { describeCatalogContract } from './catalog-contract.js';

const folders: string[] = [];

describeCatalogContract('pglite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-catalog-'));
  folders.push(folder);
  return createPgliteCatalog({ folder: join(folder, 'catalog') });
});

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
