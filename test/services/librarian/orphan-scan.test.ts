import { afterAll, beforeAll, expect, it } from 'vitest';
import { versionHash } from '../../../services/domain/identity.js';
import { removeOrphanPoints } from '../../../services/librarian/orphan-scan.js';
import type { VectorStore } from '../../../services/ports/vector-store/port.js';
import { openStores, Workshop, type Stores } from './workshop.js';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
}, 180_000);
afterAll(() => stores.close());

/** Points by version hash; any call but scan and delete is a fault. */
function vectorStoreOf(points: Map<string, number>, workspace: string): VectorStore {
  const store = {
    async *scan(scope: { workspace: string }) {
      if (scope.workspace !== workspace) return;
      for (const [hash, count] of points) {
        for (let index = 0; index < count; index++)
          yield await Promise.resolve({ pointId: '', chunkId: '', versionHash: hash });
      }
      yield { pointId: '', chunkId: 'imported' };
    },
    delete(_: unknown, { versionHash: hash }: { versionHash: string }) {
      points.delete(hash);
      return Promise.resolve();
    },
  };
  return store as unknown as VectorStore;
}

it('removes points of unknown versions, unless there are suspiciously many', async () => {
  const workshop = await Workshop.open(stores);
  await workshop.run([await workshop.submit('d', 'x')]);
  const known = versionHash(workshop.key('d'), 1);
  const points = new Map([
    [known, 500],
    ['f'.repeat(64), 5],
  ]);
  const ports = {
    catalog: stores.catalog,
    librarianStore: stores.catalog,
    vectorStore: vectorStoreOf(points, workshop.workspace),
  };
  expect(await removeOrphanPoints(ports, { dryRun: true })).toEqual({ points: 506, orphans: 5, removed: 0 });
  expect(await removeOrphanPoints(ports)).toEqual({ points: 506, orphans: 5, removed: 5 });
  expect([...points.keys()]).toEqual([known]);

  points.set('e'.repeat(64), 100);
  await expect(removeOrphanPoints(ports)).rejects.toThrow('100 of 601 points');
  expect(points.size).toBe(2);
  expect(await removeOrphanPoints(ports, { force: true })).toMatchObject({ removed: 100 });
  expect([...points.keys()]).toEqual([known]);
});
