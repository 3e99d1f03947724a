import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createPgliteCatalog } from '../../services/ports/catalog/pglite/pglite-catalog.js';
import type { Loaded } from '../../services/ports/catalog/librarian-store.js';
import { describeCatalogContract } from './catalog-contract.js';
import { collectionOf, type FullCatalog } from './catalog-fixture.js';

const folders: string[] = [];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-catalog-'));
  folders.push(folder);
  return join(folder, 'catalog');
}

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describeCatalogContract('pglite', async () => createPgliteCatalog({ folder: await newFolder() }));

describe('the embedded catalog', () => {
  it('says that its files are damaged, and where they are', async () => {
    const folder = await newFolder();
    await (await createPgliteCatalog({ folder })).close();
    await truncate(join(folder, 'global', 'pg_control'), 100);
    await expect(createPgliteCatalog({ folder })).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: expect.stringContaining(folder) as string,
    });
  }, 60_000);

  const child = fileURLToPath(new URL('catalog-pglite-child.mjs', import.meta.url));
  const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

  /** Runs the child until it has said `commits` numbers, kills it, and returns the last that it said. */
  async function killedAfter(folder: string, first: number, commits: number): Promise<number> {
    const writer = spawn(process.execPath, [child, folder, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(writer, 'exit');
    let last = first - 1;
    for await (const line of createInterface(writer.stdout)) {
      last = Number(line);
      if (last - first + 1 === commits) writer.kill('SIGKILL');
    }
    await exited;
    return last;
  }

  const look = (catalog: FullCatalog, first: number, last: number): Promise<Loaded> =>
    catalog.change(
      {
        documents: [],
        collections: [],
        commands: Array.from({ length: last - first + 1 }, (_, index) => id(first + index)),
        pages: [],
        countVersionsTo: 0,
        exclusive: false,
      },
      (loaded) => ({ documents: [], collections: [], outcomes: [], handled: [], result: loaded }),
    );

  it('has after kill -9 what it had said was committed, twice, and keeps its id', { timeout: 240_000 }, async () => {
    const folder = await newFolder();
    const made = await createPgliteCatalog({ folder });
    const installation = await made.installationId();
    await made.createCollection(collectionOf('handbook'));
    await made.close();
    const said: string[] = [];
    let next = 1;
    for (const commits of [1, 80]) {
      const last = await killedAfter(folder, next, commits);
      for (let number = next; number <= last; number++) said.push(id(number));
      const catalog = await createPgliteCatalog({ folder });
      const { handled } = await look(catalog, 1, last);
      expect([...handled.keys()]).toEqual(expect.arrayContaining(said));
      expect(await catalog.installationId()).toBe(installation);
      expect(await catalog.collection('acme', 'handbook')).toBeDefined();
      await catalog.close();
      // One more may have been committed than was said.
      next = last + 2;
    }
  });
});
