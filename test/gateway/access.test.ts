import { connect } from 'node:net';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../gateway/access/api-keys.js';
import type { Gateway } from '../../gateway/gateway.js';
import { commit, keyOf, submitOf, indexedCommands, collectionOf } from '../contracts/catalog-fixture.js';
import { openTestBed, space, type TestBed } from './gateway-fixture.js';

const keys = {
  acme: 'acme-key-0123456789',
  other: 'other-key-0123456789',
  filtered: 'filtered-key-0123456789',
};
const apiKeys = [
  { key: keys.acme, workspace: 'acme' },
  { key: keys.other, workspace: 'other' },
  { key: keys.filtered, workspace: 'acme', where: 'team=blue' },
];

let bed: TestBed;
/** Without keys, and with them. */
let open: Gateway;
let guarded: Gateway;

beforeAll(async () => {
  bed = await openTestBed();
  open = await bed.gateway();
  guarded = await bed.gateway({ apiKeys, host: '0.0.0.0' });
  for (const workspace of ['acme', 'other']) {
    await bed.ports.catalog.createCollection(collectionOf('handbook', { workspace, space }));
  }
  for (const team of ['blue', 'red']) {
    const submit = submitOf(team, { attributes: { team }, operation: crypto.randomUUID() });
    await commit(bed.ports.catalog, [{ key: keyOf(team), commands: [submit, ...indexedCommands(1)] }]);
  }
});
afterAll(() => bed.close());

const api = '/sluice/v1';
const get = (gateway: Gateway, url: string, headers: Record<string, string> = {}) =>
  gateway.app.inject({ url: url.startsWith('/healthz') || url === '/metrics' ? url : `${api}${url}`, headers });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('without keys', () => {
  it.each(['127.0.0.1:7300', 'localhost', '[::1]:80', '127.9.9.9', 'LOCALHOST:1'])('serves Host %s', async (host) => {
    expect((await get(open, '/status', { host })).statusCode).toBe(200);
  });

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', '10.0.0.1', '[::2]', 'a b', 'x@127.0.0.1'])(
    'refuses Host %j, on every path',
    async (host) => {
      for (const path of ['/status', '/openapi.json', '/healthz/live', '/nothing']) {
        const response = await get(open, path, { host });
        expect(response.statusCode).toBe(403);
        expect(response.json()).toMatchObject({ code: 'forbidden' });
      }
    },
  );

  it.each([
    ['http://localhost:7300', 200],
    ['http://localhost', 403],
    ['https://localhost:7300', 403],
    ['http://evil.example', 403],
    ['null', 403],
    ['', 403],
  ])('answers Origin %j with %i', async (origin, status) => {
    expect((await get(open, '/status', { host: 'localhost:7300', origin })).statusCode).toBe(status);
  });

  it('lets the one user name any workspace, and no bad one', async () => {
    const named = await get(open, '/collections', { 'x-sluice-workspace': 'acme' });
    expect(named.json()).toMatchObject({ collections: [{ collection: 'handbook' }] });
    expect((await get(open, '/collections?workspace=acme')).json()).toEqual(named.json());
    const bad = await get(open, '/collections', { 'x-sluice-workspace': '../acme' });
    expect(bad.json()).toMatchObject({ code: 'invalid-argument' });
    expect((await get(open, '/collections?workspace=a&workspace=b')).json()).toMatchObject({
      code: 'invalid-argument',
    });
  });

  it('listens nowhere that others can reach', async () => {
    await expect(bed.gateway({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'configuration-invalid' });
    await expect(bed.gateway({ host: 'example.org' })).rejects.toThrow(/gateway\.apiKeys/);
  });
});

describe('with keys', () => {
  it('wants one, on every path but health and the description', async () => {
    for (const headers of [{}, bearer('wrong-key-0123456789'), { authorization: `Basic ${keys.acme}` }, bearer('')]) {
      const response = await get(guarded, '/status', headers);
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toBe('Bearer');
      expect(response.body).not.toContain('wrong-key');
    }
    expect((await get(guarded, '/metrics')).statusCode).toBe(401);
    expect((await get(guarded, '/nothing')).statusCode).toBe(401);
    for (const path of ['/healthz/live', '/openapi.json', '/docs/']) {
      expect((await get(guarded, path)).statusCode).toBe(200);
    }
    expect((await get(guarded, '/status', { ...bearer(keys.acme), host: 'sluice.example' })).statusCode).toBe(200);
  });

  it("knows nothing of another workspace's objects", async () => {
    const mine = await get(guarded, '/collections/handbook/documents/blue', bearer(keys.acme));
    const chunk = mine.json<{ live: { version_hash: string } }>().live.version_hash;
    const absent = await get(guarded, '/collections/handbook/documents/never', bearer(keys.other));
    const foreign = await get(guarded, '/collections/handbook/documents/blue', bearer(keys.other));
    expect([foreign.statusCode, foreign.json<{ code: string }>().code]).toEqual([404, 'document-not-found']);
    expect(foreign.body.replace('blue', 'never')).toBe(absent.body);
    expect((await get(guarded, `/chunks/${chunk}:0`, bearer(keys.other))).statusCode).toBe(404);
    expect((await get(guarded, '/documents', bearer(keys.other))).json()).toEqual({ documents: [], next: null });
    for (const way of [{ 'x-sluice-workspace': 'acme' }, {}]) {
      const query = 'x-sluice-workspace' in way ? '' : '?workspace=acme';
      const response = await get(guarded, `/documents${query}`, { ...bearer(keys.other), ...way });
      expect(response.json()).toMatchObject({ status: 403, code: 'forbidden' });
    }
  });

  it("holds a key's mandatory filter on every read, and lets it change nothing", async () => {
    const as = bearer(keys.filtered);
    const listed = await get(guarded, '/documents', as);
    expect(listed.json()).toMatchObject({ documents: [{ document_id: 'blue' }] });
    expect((await get(guarded, '/collections/handbook/documents/red', as)).statusCode).toBe(404);
    expect((await get(guarded, '/collections/handbook/documents/red/text', as)).statusCode).toBe(404);
    for (const path of ['/status', '/events', '/collections/handbook/statistics']) {
      expect((await get(guarded, path, as)).json()).toMatchObject({ code: 'forbidden' });
    }
    const url = `${api}/collections/handbook/documents/blue`;
    const put = await guarded.app.inject({ method: 'PUT', url, payload: 'x', headers: as });
    const deleted = await guarded.app.inject({ method: 'DELETE', url, headers: as });
    expect([put.statusCode, deleted.statusCode]).toEqual([403, 403]);
  });

  it('refuses keys that are none', () => {
    expect(() => createAuthenticator([{ key: keys.acme, workspace: 'Not A Name' }])).toThrow(/not a valid name/);
    expect(() => createAuthenticator([{ key: keys.acme, workspace: 'a', where: 'team?' }])).toThrow();
  });
});

describe('hostile requests', () => {
  const put = (id: string, query = '') =>
    open.app.inject({ method: 'PUT', url: `${api}/collections/default/documents/${id}${query}`, payload: 'x' });

  it.each([
    ['..%2F..%2Fetc%2Fpasswd', '../../etc/passwd'],
    ['%2F', '/'],
    ['a%2F..%2Fb', 'a/../b'],
    ['%E2%80%AE%F0%9F%92%A5', '\u202e💥'],
    ['%20x%20', ' x '],
    ['%25', '%'],
    ['a%3Fb%23c', 'a?b#c'],
    ['C:%5Cx', 'C:\\x'],
    ['x'.repeat(1024), 'x'.repeat(1024)],
    ['%E2%82%AC'.repeat(341), '€'.repeat(341)],
  ])('takes %s as an id like any other', async (path, id) => {
    const response = await put(path);
    expect(response.statusCode).toBe(202);
    expect(response.json()).toMatchObject({ document_id: id });
    expect((await get(open, `/collections/default/documents/${path}`)).json()).toMatchObject({ document_id: id });
  });

  it('takes an id that no URL can hold from the query', async () => {
    expect((await put('~', '?id=..')).json()).toMatchObject({ document_id: '..' });
    expect((await put('~')).json()).toMatchObject({ document_id: '~' });
  });

  it.each(['%00', '%20', '%', '%E0%A4%A', '%FF', 'x'.repeat(1025), 'x'.repeat(100_000)])(
    'refuses %s as an id',
    async (path) => {
      const response = await put(path);
      expect(response.statusCode).toBeGreaterThanOrEqual(400);
      expect(response.statusCode).toBeLessThan(500);
      expect(response.headers['content-type']).toContain('application/problem+json');
    },
  );

  it.each(['Not-A-Name', '..%2f', 'a%00', 'x'.repeat(65)])('refuses %s as a collection', async (name) => {
    expect((await get(open, `/collections/${name}`)).json()).toMatchObject({ code: 'invalid-argument' });
  });

  it.each([
    ['POST', '/search', '{"query":', 'application/json'],
    ['POST', '/search', '', 'application/json'],
    ['POST', '/search', 'query=x', 'application/x-www-form-urlencoded'],
    ['POST', '/search', '[]', 'application/json'],
    ['POST', '/search', '"x"', 'application/json'],
    ['POST', '/search', '{"query":"x","__proto__":{"limit":3}}', 'application/json'],
    ['POST', '/collections', '{"collection":"A B"}', 'application/json'],
    ['POST', '/collections', '{"collection":"a","chunker":{"size":4,"overlap":4}}', 'application/json'],
    ['POST', '/collections', '{"collection":"a","language":"klingon"}', 'application/json'],
    ['PATCH', '/collections/default', '{"name":" "}', 'application/json'],
    ['PUT', '/collections/default/documents/x?metadata=[1]', 'x', 'text/plain'],
    ['PUT', '/collections/default/documents/x?metadata={"a":{"b":1}}', 'x', 'text/plain'],
    ['PUT', '/collections/default/documents/x?file_time=yesterday', 'x', 'text/plain'],
    ['PUT', '/collections/default/documents/x?unknown=1', 'x', 'text/plain'],
    ['PUT', '/collections/default/documents/x?wait=-1', 'x', 'text/plain'],
  ] as const)('answers %s %s with %j as the mistake that it is', async (method, url, payload, type) => {
    const response = await open.app.inject({
      method,
      url: encodeURI(`${api}${url}`),
      payload,
      headers: { 'content-type': type },
    });
    expect(response.json()).toMatchObject({ status: 400, code: 'invalid-argument' });
  });

  it('names the methods that a path takes', async () => {
    const response = await open.app.inject({ method: 'DELETE', url: `${api}/search` });
    expect(response.json()).toMatchObject({ status: 405, code: 'method-not-allowed' });
    expect(response.headers.allow).toBe('POST');
    expect((await open.app.inject({ method: 'POST', url: `${api}/nothing` })).statusCode).toBe(404);
  });

  it('answers headers over the limit and what is not HTTP, and goes on', async () => {
    const { url } = await open.listen();
    const { port, hostname } = new URL(url);
    const say = (text: string): Promise<string> =>
      new Promise((resolve) => {
        let answer = '';
        const socket = connect(Number(port), hostname, () => socket.write(text));
        socket.on('data', (bytes) => (answer += bytes.toString()));
        socket.on('close', () => {
          resolve(answer);
        });
      });
    expect(await say(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`)).toMatch(
      / 431 [^]*too-large/,
    );
    expect(await say('garbage\r\n\r\n')).toMatch(/ 400 [^]*invalid-argument/);
    expect((await fetch(`${url}/healthz/live`)).status).toBe(200);
  });

  it('keeps nothing of an upload that its sender breaks off, and publishes nothing', async () => {
    const { url } = await bed.gateway().then((gateway) => gateway.listen());
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    const path = `${api}/collections/default/documents/broken`;
    socket.write(`PUT ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n${'x'.repeat(500_000)}`);
    await new Promise((resolve) => socket.once('drain', resolve));
    socket.destroy();
    await expect.poll(async () => (await fetch(`${url}${path}`)).status).toBe(404);
  });

  it('gives up an upload that brings nothing any more', async () => {
    const { url } = await bed.gateway({ uploadIdleMs: 100 }).then((gateway) => gateway.listen());
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `PUT ${api}/collections/default/documents/slow HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nx`,
    );
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (bytes) => {
        resolve(bytes.toString());
      }),
    );
    expect(answer).toMatch(/ 504 [^]*deadline-exceeded/);
    socket.destroy();
  });
});

describe('the description', () => {
  it('is OpenAPI 3.1, and every route is in it', async () => {
    const description = (await get(open, '/openapi.json')).json<{
      openapi: string;
      paths: Record<string, Record<string, { summary?: string; responses: object }>>;
    }>();
    expect(description.openapi).toBe('3.1.0');
    expect(Object.keys(description.paths).sort()).toEqual([
      '/healthz/live',
      '/healthz/ready',
      '/metrics',
      ...[
        '/ask',
        '/chunks/{chunk_id}',
        '/collections',
        '/collections/{collection}',
        '/collections/{collection}/conversion',
        '/collections/{collection}/documents',
        '/collections/{collection}/documents/{document_id}',
        '/collections/{collection}/documents/{document_id}/chunks',
        '/collections/{collection}/documents/{document_id}/retry',
        '/collections/{collection}/documents/{document_id}/text',
        '/collections/{collection}/pause',
        '/collections/{collection}/rechunk',
        '/collections/{collection}/reindex',
        '/collections/{collection}/reindex/plan',
        '/collections/{collection}/reindex/skip-failed',
        '/collections/{collection}/resume',
        '/collections/{collection}/statistics',
        '/collections/{collection}/sync-roots',
        '/dead-letters',
        '/dead-letters/{letter_id}',
        '/dead-letters/{letter_id}/replay',
        '/documents',
        '/documents/count',
        '/events',
        '/health',
        '/models',
        '/operations/{operation_id}',
        '/recover',
        '/search',
        '/status',
      ].map((path) => api + path),
    ]);
    for (const operations of Object.values(description.paths)) {
      for (const operation of Object.values(operations)) expect(operation.summary).toBeTruthy();
    }
  });

  it('says of the answers what they are', async () => {
    const description = (await get(open, '/openapi.json')).json<{ paths: Record<string, never> }>();
    const ajv = new Ajv({ strict: false, formats: { 'date-time': true } });
    await put('described');
    for (const path of [
      '/status',
      '/models',
      '/collections',
      '/documents',
      '/health',
      '/collections/default/statistics',
    ]) {
      const template = path.replace('/default', '/{collection}');
      const at = description.paths[api + template] as unknown as Described;
      const valid = ajv.compile(at.get.responses['200'].content['application/json'].schema);
      expect(valid((await get(open, path)).json()), `${path}: ${JSON.stringify(valid.errors)}`).toBe(true);
    }
  });
  const put = (id: string) =>
    open.app.inject({ method: 'PUT', url: `${api}/collections/default/documents/${id}`, payload: 'x' });
});

interface Described {
  readonly get: {
    readonly responses: { readonly 200: { readonly content: { readonly 'application/json': { schema: object } } } };
  };
}

it('creates, shows, changes and deletes a collection', async () => {
  const { app } = open;
  const created = await app.inject({
    method: 'POST',
    url: `${api}/collections`,
    payload: { collection: 'books', chunker: { size: 200 }, language: 'german', embedding: 'stub', metadata: { a: 1 } },
  });
  expect(created.statusCode).toBe(201);
  expect(created.json()).toMatchObject({
    ...{ collection: 'books', name: 'books', space, language: 'german', metadata: { a: 1 } },
    chunker: { strategy: 'structure', size: 200, overlap: 25, tokenizer: 'o200k_base', context_prefix: true },
  });
  expect(created.json<{ notice: string }>().notice).toMatch(/stub\/3.*collections reindex/);
  const again = await app.inject({ method: 'POST', url: `${api}/collections`, payload: { collection: 'books' } });
  expect(again.json()).toMatchObject({ status: 409, code: 'collection-exists' });
  const unknown = { collection: 'more', embedding: 'bge' };
  expect((await app.inject({ method: 'POST', url: `${api}/collections`, payload: unknown })).json()).toMatchObject({
    code: 'space-mismatch',
  });
  const url = `${api}/collections/books`;
  const changed = await app.inject({ method: 'PATCH', url, payload: { name: ' Books ', metadata: {} } });
  expect(changed.json()).toMatchObject({ name: 'Books', description: '', metadata: {} });
  expect((await app.inject(`${url}/statistics`)).json()).toMatchObject({ vectors: 7, chunks: 0 });
  expect((await app.inject({ method: 'DELETE', url })).json()).toMatchObject({
    state: 'accepted',
    collection: 'books',
  });
});
