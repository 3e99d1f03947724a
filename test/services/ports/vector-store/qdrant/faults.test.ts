import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { QdrantVectorStore } from '../../../../../services/ports/vector-store/qdrant/qdrant.js';
import { openQdrant, ownQdrant } from '../../../../contracts/qdrant-fixture.js';
import { startProxy } from './noting-proxy.js';
import { pointOf, scopeOf, versionOf } from '../../../../contracts/vector-store-points.js';

const apiKey = 'the-key';
const server = await ownQdrant(apiKey);

describe.skipIf(server === undefined)('the Qdrant store, when its server fails', () => {
  const url = server?.url ?? '';
  const scope = scopeOf('c');
  const prefix = `test-${randomUUID()}-`;
  const open = (given: object = {}): Promise<QdrantVectorStore> => openQdrant(url, { apiKey, prefix, ...given });
  let store: QdrantVectorStore;

  const fault = (given: object): Promise<Response> =>
    fetch(`${url}/__fault`, { method: 'POST', body: JSON.stringify(given) });
  /** How many requests are still to fail. */
  const unused = async (): Promise<number> => {
    const { faults } = (await (await fetch(`${url}/__fault`)).json()) as { faults: { count: number }[] };
    return faults.reduce((sum, { count }) => sum + count, 0);
  };

  beforeAll(async () => {
    store = await open();
    await store.upsert(scope, [pointOf(0)]);
  });
  afterEach(() => fault({}));
  afterAll(async () => {
    await store.close();
    await server?.stop();
  });

  const operations: Readonly<Record<string, (each: QdrantVectorStore) => Promise<unknown>>> = {
    upsert: (each) => each.upsert(scope, [pointOf(0)]),
    'search by vector': (each) => each.searchVector(scope, pointOf(0).vector, { limit: 1 }),
    'search by terms': (each) => each.searchTerms(scope, ['a'], { limit: 1 }),
    vectors: (each) => each.vectors(scope, [pointOf(0).chunkId]),
    'change of attributes': (each) => each.setAttributes(scope, versionOf(0), { a: 1 }),
    delete: (each) => each.delete(scope, { versionHash: versionOf(999) }),
    count: (each) => each.count(scope),
  };

  it.each([
    ['an error', { status: 500 }],
    ['overload', { status: 503 }],
    ['a broken connection', { reset: true }],
    ['a lost answer', { reset: true, apply: true }],
    ['a lost answer of a proxy', { status: 502, apply: true }],
  ])('repeats every operation after %s', async (_, failure) => {
    for (const [name, operation] of Object.entries(operations)) {
      await fault({ ...failure, count: 2 });
      await expect(operation(store), name).resolves.not.toThrow();
      expect(await unused(), name).toBe(0);
    }
    expect(await store.count(scope)).toBe(1);
  });

  it('gives up after as many attempts as are allowed, says so, and works when the server does again', async () => {
    const few = await open({ maxAttempts: 2 });
    await fault({ down: true });
    for (const [name, operation] of Object.entries(operations)) {
      await expect(operation(few), name).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining(`Qdrant at ${url} does not answer`) as string,
      });
    }
    await fault({ down: false });
    for (const operation of Object.values(operations)) await operation(few);
    await few.close();
  });

  it('waits as long as the server asks, and passes on what is too long to wait for', async () => {
    await fault({ status: 429, retryAfter: '1' });
    const start = performance.now();
    expect(await store.count(scope)).toBe(1);
    expect(performance.now() - start).toBeGreaterThanOrEqual(990);
    await fault({ status: 429, retryAfter: '45' });
    await expect(store.count(scope)).rejects.toMatchObject({ code: 'unavailable', options: { retryAfterMs: 45_000 } });
    expect(await unused()).toBe(0);
  });

  it('repeats what takes too long, and not for ever', async () => {
    const hasty = await open({ timeoutMs: 300, maxAttempts: 2 });
    await fault({ delayMs: 1_500, path: 'points/count', count: 2 });
    await expect(hasty.count(scope)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no answer within 300 ms') as string,
    });
    await hasty.close();
  });

  it('ends a search at once when its caller leaves', async () => {
    await fault({ delayMs: 3_000, path: 'points/query', count: 2 });
    const caller = new AbortController();
    const search = store.searchVector(scope, pointOf(0).vector, { limit: 1, signal: caller.signal });
    await vi.waitFor(async () => expect(await unused()).toBe(1));
    const start = performance.now();
    caller.abort(new Error('the caller left'));
    await expect(search).rejects.toThrow('the caller left');
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('does not repeat what the server refuses', async () => {
    await fault({ status: 400, error: 'Wrong input: no' });
    await expect(store.count(scope)).rejects.toMatchObject({
      code: 'invalid-response',
      message: expect.stringContaining('Wrong input: no') as string,
    });
    await fault({ status: 500, error: 'Service internal error: No space left on device' });
    await expect(store.upsert(scope, [pointOf(0)])).rejects.toMatchObject({ code: 'storage-full' });
  });

  it('tells a missing collection from a server that is none', async () => {
    const lost = await open({ url: `${url}/elsewhere` });
    await expect(lost.count(scope)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('qdrant.url') as string,
    });
    expect(await store.count(scopeOf('c', { space: 'never written' }))).toBe(0);
    await lost.close();
  });

  it('reports the version, a refused key and a server that is away', async () => {
    expect((await store.check()).version).toMatch(/^\d+\.\d+\.\d+/);
    const stranger = await open({ apiKey: 'wrong' });
    await expect(stranger.check()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('qdrant.apiKey') as string,
    });
    await stranger.close();
    const away = await open({ url: 'http://127.0.0.1:9', maxAttempts: 1 });
    await expect(away.check()).rejects.toMatchObject({ code: 'unavailable' });
    await away.close();
  });

  it('speaks HTTPS, and trusts the certificate that it is told to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    await promisify(execFile)('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
    ]);
    const proxy = await startProxy(url, { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') });
    const trusting = await open({ url: proxy.url, caFile: cert });
    expect(await trusting.count(scope)).toBe(1);
    const wary = await open({ url: proxy.url, maxAttempts: 1 });
    await expect(wary.count(scope)).rejects.toMatchObject({ code: 'unavailable' });
    await Promise.all([trusting.close(), wary.close()]);
    await proxy.close();
    await rm(folder, { recursive: true });
  });

  it('loses nothing acknowledged when the server is killed, and goes on by itself', async () => {
    const acknowledged = new Set<string>();
    const patient = await open({ maxAttempts: 50 });
    const lives = scopeOf('lives');
    let row = 0;
    for (let life = 0; life < 2; life++) {
      const until = acknowledged.size + 15;
      const writers = [1, 2, 3].map(async () => {
        while (acknowledged.size < until + 15) {
          const points = [pointOf(1000 + row++), pointOf(1000 + row++)];
          await patient.upsert(lives, points);
          for (const { pointId } of points) acknowledged.add(pointId);
        }
      });
      await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThanOrEqual(until), { timeout: 20_000, interval: 5 });
      await server?.stop('SIGKILL');
      await server?.restart();
      await Promise.all(writers);
    }
    const kept = new Set<string>();
    for await (const { pointId } of patient.scan(lives)) kept.add(pointId);
    expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThanOrEqual(60);
    await patient.close();
  });
});
