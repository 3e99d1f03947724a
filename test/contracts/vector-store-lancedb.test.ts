import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { createLanceDbVectorStore } from '../../services/ports/vector-store/lancedb/lancedb.js';
import { lancedb } from '../../services/ports/vector-store/lancedb/native.js';
import { tableName } from '../../services/ports/vector-store/lancedb/table-name.js';
import type { Point, VectorScope } from '../../services/ports/vector-store/port.js';
import { describeVectorStoreContract } from './vector-store-contract.js';
import { cosine, pointOf, randomPoints, scopeOf } from './vector-store-points.js';

const newFolder = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'sluice-vectors-'));
const writingChild = fileURLToPath(new URL('vector-store-lancedb-child.mjs', import.meta.url));

/** Waits, through a connection of its own, until the index covers every row of the scope. */
const indexed = (folder: string) => async (scope: VectorScope) => {
  const db = await lancedb.connect(folder);
  await vi.waitFor(
    async () => {
      const table = await db.openTable(`${tableName(scope)}-terms`);
      expect((await table.indexStats('terms_idx'))?.numUnindexedRows).toBe(0);
      expect((await table.stats()).fragmentStats.numFragments).toBeLessThan(3);
    },
    { timeout: 20_000, interval: 50 },
  );
};

const contractFolder = await newFolder();
describeVectorStoreContract(
  'lancedb',
  async () => ({
    store: await createLanceDbVectorStore({ folder: contractFolder }),
    remove: () => rm(contractFolder, { recursive: true }),
  }),
  indexed(contractFolder),
);

describe('the LanceDB store', () => {
  it('holds what was acknowledged after kill -9, and goes on', async () => {
    const folder = await newFolder();
    let acknowledged = 0;
    for (let life = 0; life < 3; life++) {
      const child = spawn(process.execPath, [writingChild, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
      const died = new Promise((resolve) => child.once('close', resolve));
      const until = acknowledged + 20 + 7 * life;
      for await (const line of createInterface(child.stdout)) {
        acknowledged = Number(line);
        if (acknowledged === until) child.kill('SIGKILL');
      }
      await died;
    }
    const store = await createLanceDbVectorStore({ folder });
    const scope = scopeOf('c');
    expect(await store.count(scope)).toBeGreaterThanOrEqual(acknowledged);
    expect((await store.searchTerms(scope, ['all'], { limit: 1000 })).length).toBeGreaterThanOrEqual(acknowledged);
    expect(await store.searchTerms(scope, ['point-0'], { limit: 5 })).toHaveLength(1);
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('merges upserts that wait for one another into few commits', async () => {
    const folder = await newFolder();
    const store = await createLanceDbVectorStore({ folder });
    const scope = scopeOf('c');
    await Promise.all(Array.from({ length: 1000 }, (_, row) => store.upsert(scope, [pointOf(row)])));
    const db = await lancedb.connect(folder);
    const table = await db.openTable(`${tableName(scope)}-vectors`);
    expect(await table.version()).toBeLessThan(5);
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('leaves a write to the others when one of them is refused', async () => {
    const folder = await newFolder();
    const store = await createLanceDbVectorStore({ folder });
    const scope = scopeOf('c');
    const bad = { ...pointOf(1), seq: 2 ** 40 };
    const outcomes = await Promise.allSettled(
      [pointOf(0), bad, pointOf(2)].map((point) => store.upsert(scope, [point])),
    );
    expect(outcomes[0]?.status).toBe('fulfilled');
    expect(outcomes[2]?.status).toBe('fulfilled');
    expect(await store.count(scope, { pointIds: [pointOf(0).pointId, pointOf(2).pointId] })).toBe(2);
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('refuses order and patterns that were not expanded', async () => {
    const folder = await newFolder();
    const store = await createLanceDbVectorStore({ folder });
    const filter = { kind: 'compare', key: 'n', operator: '<', operand: 1 } as const;
    await expect(store.searchTerms(scopeOf('c'), ['a'], { limit: 1, filter })).rejects.toMatchObject({
      code: 'unsupported',
    });
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('keeps scopes usable when more are open than it keeps open', async () => {
    const folder = await newFolder();
    const store = await createLanceDbVectorStore({ folder });
    const scopes = Array.from({ length: 140 }, (_, index) => scopeOf(`c${index}`));
    for (const [row, scope] of scopes.entries()) await store.upsert(scope, [pointOf(row)]);
    await Promise.all(scopes.map((scope, row) => store.upsert(scope, [pointOf(row + 1)])));
    for (const scope of scopes) expect(await store.count(scope)).toBe(2);
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('misses nothing of what was written when it opens a scope anew, after many commits', async () => {
    const folder = await newFolder();
    const store = await createLanceDbVectorStore({ folder });
    const scope = scopeOf('c');
    const connections = vi.spyOn(lancedb, 'connect');
    const writing = new AbortController();
    const reader = (async () => {
      for (let least = 0; !writing.signal.aborted;) {
        const count = await store.count(scope);
        expect(count).toBeGreaterThanOrEqual(least);
        least = count;
        await store.searchVector(scope, pointOf(0).vector, { limit: 5 });
      }
    })();
    for (let row = 0; row < 140; row++) await store.upsert(scope, [pointOf(row)]);
    writing.abort();
    await reader;
    expect(connections.mock.calls.length).toBeGreaterThan(2);
    connections.mockRestore();
    expect(await store.count(scope)).toBe(140);
    expect(await store.searchTerms(scope, ['a'], { limit: 500 })).toHaveLength(140);
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('says in one sentence which folder is damaged, and what to do', async () => {
    const folder = await newFolder();
    const store = await createLanceDbVectorStore({ folder });
    await store.upsert(scopeOf('c'), [pointOf(0)]);
    await store.close();
    for (const name of await readdir(folder, { recursive: true })) {
      if (name.endsWith('.lance') && name.includes('data')) await truncate(path.join(folder, name), 3);
    }
    const again = await createLanceDbVectorStore({ folder });
    await expect(again.searchVector(scopeOf('c'), pointOf(0).vector, { limit: 1 })).rejects.toMatchObject({
      name: 'SluiceError',
      message: expect.stringMatching(
        new RegExp(`^the vector store in ${folder} cannot do its work .*backup$`),
      ) as string,
    });
    await again.close();
    await rm(folder, { recursive: true });
  });

  it('reports a width that its tables do not have', async () => {
    const folder = await newFolder();
    const store = await createLanceDbVectorStore({ folder });
    await store.upsert(scopeOf('c'), [pointOf(0)]);
    await store.close();
    const again = await createLanceDbVectorStore({ folder });
    const vector = new Float32Array(8);
    await expect(
      again.upsert(scopeOf('c', { dimensions: 8, space: 's' }), [{ ...pointOf(1), vector }]),
    ).rejects.toMatchObject({
      code: 'space-mismatch',
    });
    await again.close();
    await rm(folder, { recursive: true });
  });

  it('finds the nearest through an index too, while rows are added, replaced and deleted', async () => {
    const folder = await newFolder();
    const dimensions = 256;
    const store = await createLanceDbVectorStore({ folder, exactFloats: 2000 * dimensions });
    const scope = scopeOf('c', { dimensions });
    const points = randomPoints(6000, dimensions);
    const db = await lancedb.connect(folder);
    const unindexed = async (): Promise<number | undefined> => {
      const table = await db.openTable(`${tableName(scope)}-vectors`);
      return (await table.indexStats('vector_idx'))?.numUnindexedRows;
    };
    const compare = async (expected: readonly Point[]): Promise<void> => {
      for (const query of points.filter((_, row) => row % 501 === 0).map(({ vector }) => vector)) {
        for (const group of [undefined, 3]) {
          const best = expected
            .filter(({ attributes }) => group === undefined || attributes['group'] === group)
            .map(({ chunkId, vector }) => ({ chunkId, score: cosine(query, vector) }))
            .sort((a, b) => b.score - a.score)
            .slice(0, 50);
          const filter = { kind: 'compare', key: 'group', operator: '=', operand: 3 } as const;
          const hits = await store.searchVector(scope, query, {
            limit: 50,
            ...(group === undefined ? {} : { filter }),
          });
          const found = new Set(hits.map(({ chunkId }) => chunkId));
          expect(hits).toHaveLength(50);
          expect(best.slice(0, 10).every(({ chunkId }) => found.has(chunkId))).toBe(true);
          expect(best.filter(({ chunkId }) => found.has(chunkId)).length).toBeGreaterThanOrEqual(48);
        }
      }
    };
    await store.upsert(scope, points.slice(0, 4000));
    await vi.waitFor(async () => expect(await unindexed()).toBe(0), { timeout: 30_000, interval: 50 });
    await compare(points.slice(0, 4000));
    await store.upsert(scope, points.slice(3900, 4500));
    await store.delete(scope, { pointIds: points.slice(0, 500).map(({ pointId }) => pointId) });
    await compare(points.slice(500, 4500));
    await store.upsert(scope, points.slice(4500));
    await vi.waitFor(async () => expect(await unindexed()).toBe(0), { timeout: 30_000, interval: 50 });
    await compare(points.slice(500));
    await store.close();
    await rm(folder, { recursive: true });
  });
});
