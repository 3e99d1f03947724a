import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { pointId } from '../../../../../services/domain/identity.js';
import { collectionName } from '../../../../../services/ports/vector-store/qdrant/collections.js';
import { callQdrant, openQdrant, qdrantServer } from '../../../../contracts/qdrant-fixture.js';
import { startProxy } from './noting-proxy.js';
import { pointOf, randomPoints, scopeOf, versionOf } from '../../../../contracts/vector-store-points.js';

interface Scrolled {
  readonly result: { readonly points: readonly { readonly payload: Readonly<Record<string, unknown>> }[] };
}
interface Described {
  readonly result: {
    readonly payload_schema: Readonly<Record<string, { readonly data_type: string; readonly params?: object }>>;
    readonly config: Readonly<Record<string, unknown>>;
  };
}

const server = await qdrantServer();
const prefixOf = (): string => `test-${randomUUID()}-`;

describe.skipIf(server === undefined)('the Qdrant store', () => {
  const url = server?.url ?? '';
  const upsertPath = /\/points\?/;
  afterAll(() => server?.stop());

  it('puts into payloads ids, place and attributes, and nothing else', async () => {
    const prefix = prefixOf();
    const store = await openQdrant(url, { prefix });
    const secret = 'xylophone';
    await store.markInstallation('one');
    await store.upsert(scopeOf('c'), [
      pointOf(0, { terms: [secret, 'a'], attributes: { lang: 'en', tags: ['x', 'y'] } }),
      pointOf(1, { terms: [secret], importId: 'i', generation: 2 }),
    ]);
    await store.upsert(scopeOf('c', { space: 'other' }), [pointOf(2, { terms: [secret] })]);
    const listed = ['workspace', 'collection', 'chunk_id', 'document_id', 'version_hash', 'seq', 'source'];
    const known = new Set([...listed, 'import_id', 'generation', 'entries']);
    const { result } = (await callQdrant(url, 'GET', '/collections')) as {
      result: { collections: { name: string }[] };
    };
    const names = result.collections.map(({ name }) => name).filter((name) => name.startsWith(prefix));
    expect(names).toHaveLength(3);
    let points = 0;
    for (const name of names) {
      const page = await callQdrant(url, 'POST', `/collections/${name}/points/scroll`, {
        limit: 100,
        with_payload: true,
      });
      for (const { payload } of (page as Scrolled).result.points) {
        points++;
        expect(payload).toHaveProperty('chunk_id');
        expect(Object.keys(payload).filter((key) => !known.has(key))).toEqual([]);
        expect(JSON.stringify(payload)).not.toContain(secret);
      }
    }
    expect(points).toBe(3);
    await store.close();
  });

  it('makes a space once, with every index and setting, however many begin at once', async () => {
    const prefix = prefixOf();
    const given = { prefix, hnswPayloadM: 24, quantisation: 'scalar', onDisk: true };
    const stores = await Promise.all([1, 2, 3].map(() => openQdrant(url, given)));
    await Promise.all(stores.map((store, row) => store.upsert(scopeOf('c'), [pointOf(row)])));
    for (const store of stores) expect(await store.count(scopeOf('c'))).toBe(3);
    const name = collectionName(prefix, scopeOf('c').space);
    const { result } = (await callQdrant(url, 'GET', `/collections/${name}`)) as Described;
    const types = Object.entries(result.payload_schema).map(([field, { data_type: type }]) => `${field} ${type}`);
    expect(types.sort()).toEqual([
      'chunk_id keyword',
      'collection keyword',
      'document_id keyword',
      'entries keyword',
      'generation integer',
      'import_id keyword',
      'version_hash keyword',
      'workspace keyword',
    ]);
    expect(result.payload_schema['workspace']?.params).toMatchObject({ is_tenant: true });
    expect(result.config).toMatchObject({
      params: {
        vectors: { dense: { size: 4, distance: 'Cosine', on_disk: true } },
        sparse_vectors: { terms: { modifier: 'idf' } },
      },
      hnsw_config: { m: 0, payload_m: 24 },
      quantization_config: { scalar: { type: 'int8' } },
    });
    await Promise.all(stores.map((store) => store.close()));
  });

  it('completes a collection whose maker died before its indexes, and makes a lost one anew', async () => {
    const prefix = prefixOf();
    const scope = scopeOf('c');
    const name = collectionName(prefix, scope.space);
    await callQdrant(url, 'PUT', `/collections/${name}`, {
      vectors: { dense: { size: 4, distance: 'Cosine' } },
      sparse_vectors: { terms: { modifier: 'idf' } },
    });
    const store = await openQdrant(url, { prefix });
    await store.upsert(scope, [pointOf(0)]);
    const { result } = (await callQdrant(url, 'GET', `/collections/${name}`)) as Described;
    expect(Object.keys(result.payload_schema)).toHaveLength(8);
    await callQdrant(url, 'DELETE', `/collections/${name}`);
    expect(await store.count(scope)).toBe(0);
    await store.upsert(scope, [pointOf(1)]);
    expect(await store.count(scope)).toBe(1);
    await store.close();
  });

  it('refuses vectors that the space does not hold, and writes nothing', async () => {
    const prefix = prefixOf();
    const store = await openQdrant(url, { prefix });
    await store.upsert(scopeOf('c'), [pointOf(0)]);
    const wide = scopeOf('c', { dimensions: 8, space: 's' });
    const other = await openQdrant(url, { prefix });
    for (const each of [store, other]) {
      const points = [{ ...pointOf(1), vector: new Float32Array(8) }];
      await expect(each.upsert(wide, points)).rejects.toMatchObject({ code: 'space-mismatch' });
      await expect(each.searchVector(wide, new Float32Array(8), { limit: 1 })).rejects.toMatchObject({
        code: 'space-mismatch',
      });
      const broken = { ...pointOf(1), vector: Float32Array.of(1, NaN, 0, 0) };
      await expect(each.upsert(scopeOf('c'), [pointOf(2), broken])).rejects.toMatchObject({ code: 'invalid-argument' });
      expect(await each.count(scopeOf('c'))).toBe(1);
    }
    await Promise.all([store.close(), other.close()]);
  });

  it('bounds every upsert by count and bytes, on as many streams as it is given', async () => {
    const proxy = await startProxy(url);
    const store = await openQdrant(proxy.url, { maxPointsPerBatch: 50, maxBytesPerBatch: 100_000, upsertStreams: 2 });
    const narrow = scopeOf('narrow');
    const wide = scopeOf('wide', { dimensions: 384 });
    const upserts = (): readonly number[] =>
      proxy.passed.filter(({ method, path }) => method === 'PUT' && upsertPath.test(path)).map(({ bytes }) => bytes);
    await store.upsert(
      narrow,
      Array.from({ length: 210 }, (_, row) => pointOf(row)),
    );
    expect(upserts()).toHaveLength(5);
    const huge = pointOf(500, { attributes: { note: 'ö'.repeat(60_000) } });
    await store.upsert(wide, [...randomPoints(100, 384), { ...huge, vector: new Float32Array(384) }]);
    const bodies = upserts().slice(5);
    expect(bodies.length).toBeGreaterThan(8);
    expect(bodies.filter((bytes) => bytes > 100_000)).toHaveLength(1);
    expect(await store.count(wide)).toBe(101);
    expect(proxy.mostAtOnce('PUT', upsertPath)).toBe(2);
    await expect(
      store.upsert(narrow, [pointOf(0, { attributes: { note: 'x'.repeat(31 << 20) } })]),
    ).rejects.toMatchObject({ code: 'too-large' });
    await store.close();
    await proxy.close();
  });

  it('gathers small documents and purges of many callers into few requests', async () => {
    const proxy = await startProxy(url);
    const store = await openQdrant(proxy.url);
    const scope = scopeOf('c');
    const rows = Array.from({ length: 1000 }, (_, row) => pointOf(row));
    await Promise.all(Array.from({ length: 500 }, (_, at) => store.upsert(scope, rows.slice(2 * at, 2 * at + 2))));
    const calls = (method: string, path: RegExp): number =>
      proxy.passed.filter((call) => call.method === method && path.test(call.path)).length;
    expect(calls('PUT', upsertPath)).toBeLessThanOrEqual(8);
    await Promise.all(rows.slice(0, 300).map((_, row) => store.delete(scope, { versionHash: versionOf(row) })));
    expect(calls('POST', /points\/delete/)).toBeLessThanOrEqual(6);
    expect(await store.count(scope)).toBe(700);
    await store.close();
    await proxy.close();
  });

  it('leaves a write to the others when one of them is refused', async () => {
    const store = await openQdrant(url);
    const scope = scopeOf('c');
    await store.upsert(scope, [pointOf(9)]);
    const bad = { ...pointOf(1), pointId: 'no uuid' };
    const outcomes = await Promise.allSettled(
      [pointOf(0), bad, pointOf(2)].map((point) => store.upsert(scope, [point])),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store.count(scope)).toBe(3);
    await store.close();
  });

  it('removes no point of another scope by its id', async () => {
    const store = await openQdrant(url);
    await store.upsert(scopeOf('c'), [pointOf(0)]);
    for (const stranger of [scopeOf('d'), scopeOf('c', { workspace: 'v' })]) {
      await store.delete(stranger, { pointIds: [pointId(pointOf(0).chunkId)] });
      await store.delete(stranger, { all: true });
      await store.setAttributes(stranger, versionOf(0), { taken: true });
      expect((await store.vectors(stranger, [pointOf(0).chunkId])).size).toBe(0);
    }
    const filter = { kind: 'exists', key: 'taken' } as const;
    expect(await store.searchTerms(scopeOf('c'), ['a'], { limit: 1, filter })).toEqual([]);
    expect(await store.count(scopeOf('c'))).toBe(1);
    await store.close();
  });

  it('changes no matching set when another workspace grows', async () => {
    const store = await openQdrant(url);
    const scope = scopeOf('c');
    const points = randomPoints(50, 4).map((point, row) => ({
      ...point,
      terms: ['common', row % 2 === 0 ? 'even' : 'odd'],
    }));
    await store.upsert(scope, points);
    const found = async (): Promise<readonly string[]> =>
      (await store.searchTerms(scope, ['even'], { limit: 100 })).map(({ chunkId }) => chunkId);
    const before = await found();
    const strangers = Array.from({ length: 2000 }, (_, row) => pointOf(100 + row, { terms: ['even', 'odd'] }));
    await store.upsert(scopeOf('c', { workspace: 'v' }), strangers);
    expect(before).toHaveLength(25);
    expect(await found()).toEqual(before);
    await store.close();
  });

  it('refuses order and patterns that were not expanded', async () => {
    const store = await openQdrant(url);
    const filter = { kind: 'compare', key: 'n', operator: '<', operand: 1 } as const;
    await expect(store.searchTerms(scopeOf('c'), ['a'], { limit: 1, filter })).rejects.toMatchObject({
      code: 'unsupported',
    });
    await store.close();
  });

  it('belongs to the installation that marked it first', async () => {
    const prefix = prefixOf();
    const stores = await Promise.all([1, 2].map(() => openQdrant(url, { prefix })));
    const outcomes = await Promise.allSettled(stores.map((store, at) => store.markInstallation(`i${at}`)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const winner = outcomes[0]?.status === 'fulfilled' ? 'i0' : 'i1';
    for (const store of stores) {
      expect(await store.installationId()).toBe(winner);
      await store.markInstallation(winner);
      await expect(store.markInstallation('stranger')).rejects.toMatchObject({ code: 'installation-mismatch' });
      await store.close();
    }
  });
});
