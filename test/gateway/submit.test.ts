import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../../gateway/gateway.js';
import { topics } from '../../schema/topics.js';
import type { DocumentCommand } from '../../schema/generated.js';
import { openTestBed, type TestBed } from './gateway-fixture.js';
import { startStandInLibrarian } from './stand-in-librarian.js';

let bed: TestBed;
let gateway: Gateway;
const commands: { value: DocumentCommand; id: string | undefined }[] = [];

beforeAll(async () => {
  bed = await openTestBed();
  gateway = await bed.gateway({ maxUploadBytes: 1_000_000 });
  await bed.hear(topics.documentCommands, ({ value, headers }) => {
    commands.push({ value, id: headers['message-id'] });
  });
});
afterAll(() => bed.close());

const documents = '/sluice/v1/collections/default/documents';
const blobsOf = async (): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of bed.ports.blobStore.list('default/sources/')) keys.push(key);
  return keys;
};
const put = (id: string, payload: string | Buffer, query = '', headers: Record<string, string> = {}) =>
  gateway.app.inject({ method: 'PUT', url: `${documents}/${id}${query}`, payload, headers });
const commandOf = (id: string) => commands.find((command) => command.id === id)?.value;

describe('before any librarian runs', () => {
  it('takes a document in: blob, operation, command; a read at once is pending', async () => {
    const metadata = encodeURIComponent(JSON.stringify({ year: 2020, tags: ['a', 1], draft: false }));
    const response = await put(
      'a%2Fb',
      'hello',
      `?title=Hi&source=file%3A%2F%2F%2Fa.md&metadata=${metadata}&tag=x&tag=y&file_time=2020-01-02T03:04:05Z&force=true`,
      { 'content-type': 'text/markdown' },
    );
    expect(response.statusCode).toBe(202);
    const accepted = response.json<Record<string, string>>();
    expect(accepted).toMatchObject({ document_id: 'a/b', collection: 'default', state: 'accepted' });
    await expect.poll(() => commandOf(accepted.operation_id ?? '')).toBeDefined();
    const command = commandOf(accepted.operation_id ?? '');
    expect(command).toMatchObject({
      kind: 'submit',
      workspace: 'default',
      collection: 'default',
      document_id: 'a/b',
      content_hash: createHash('sha256').update('hello').digest('hex'),
      size_bytes: 5,
      title: 'Hi',
      source: 'file:///a.md',
      content_type: 'text/markdown',
      tags: ['x', 'y'],
      file_time: Date.parse('2020-01-02T03:04:05Z'),
      force: true,
      flow: 'default',
    });
    expect(JSON.parse(command?.attributes ?? '')).toEqual({ year: 2020, tags: ['a', 1], draft: false });
    const stored = await bed.ports.blobStore.get(`default/sources/${command?.upload_id}`);
    expect(stored?.toString()).toBe('hello');
    const read = await gateway.app.inject(`${documents}/a%2Fb`);
    expect(read.json()).toMatchObject({ document_id: 'a/b', state: 'pending', live: null, newest: null });
  });

  it('makes the id of the source, or else of the content, as the identity rules say', async () => {
    const bySource = await gateway.app.inject({
      method: 'POST',
      url: `${documents}?source=file%3A%2F%2F%2Fa.md`,
      payload: Buffer.from('x'),
    });
    const expected = createHash('sha256').update('default\0file:///a.md').digest('hex');
    expect(bySource.json()).toMatchObject({ document_id: expected });
    const byContent = await gateway.app.inject({ method: 'POST', url: documents, payload: Buffer.from('same') });
    const again = await gateway.app.inject({ method: 'POST', url: documents, payload: Buffer.from('same') });
    expect(again.json<{ document_id: string }>().document_id).toBe(
      byContent.json<{ document_id: string }>().document_id,
    );
  });

  it('refuses text that no store can keep, naming the place', async () => {
    const bad = [
      `?title=${encodeURIComponent('a\0b')}`,
      `?metadata=${encodeURIComponent(JSON.stringify({ note: 'a\0b' }))}`,
      `?metadata=${encodeURIComponent(JSON.stringify({ list: ['ok', '\ud800'] }))}`,
      `?tag=${encodeURIComponent('\0')}`,
    ];
    for (const query of bad) {
      const response = await put('well-formed', 'hello', query);
      expect(response.statusCode, query).toBe(400);
      expect(response.json<{ detail: string }>().detail).toMatch(/(title|metadata|tags).* contains (U\+0000|a lone)/);
    }
  });

  it('takes an empty document', async () => {
    const response = await put('empty', '');
    expect(response.statusCode).toBe(202);
    const { operation_id } = response.json<{ operation_id: string }>();
    await expect.poll(() => commandOf(operation_id)?.size_bytes).toBe(0);
  });

  it('takes JSON, forms and unknown types as documents, byte for byte', async () => {
    for (const type of ['application/json', 'text/html; charset=utf-8', 'application/x-tar']) {
      const response = await put('typed', '{"not": json', '', { 'content-type': type });
      expect(response.statusCode).toBe(202);
      const { operation_id } = response.json<{ operation_id: string }>();
      await expect.poll(() => commandOf(operation_id)?.content_type).toBe(type);
    }
  });

  it('takes a form with options before the file', async () => {
    const boundary = 'xxBOUNDARYxx';
    const payload = [
      `--${boundary}\r\ncontent-disposition: form-data; name="options"\r\n\r\n{"title":"T","metadata":{"n":1}}\r\n`,
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.md"\r\n`,
      `content-type: text/markdown\r\n\r\n# Hello\r\n--${boundary}--\r\n`,
    ].join('');
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const response = await put('form', payload, '', headers);
    expect(response.statusCode).toBe(202);
    const { operation_id } = response.json<{ operation_id: string }>();
    await expect.poll(() => commandOf(operation_id)).toBeDefined();
    expect(commandOf(operation_id)).toMatchObject({
      title: 'T',
      attributes: '{"n":1}',
      content_type: 'text/markdown',
      size_bytes: 7,
    });
    const without = await put('form', `--${boundary}--\r\n`, '', headers);
    expect(without.statusCode).toBe(400);
    expect(without.json()).toMatchObject({ code: 'invalid-argument' });
  });

  it('makes one operation of one idempotency key, and refuses the key for another document', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await put('idem', 'x', '', headers);
    const second = await put('idem', 'x', '', headers);
    const id = first.json<{ operation_id: string }>().operation_id;
    expect(second.json<{ operation_id: string }>().operation_id).toBe(id);
    const other = await put('other', 'x', '', headers);
    expect(other.json()).toMatchObject({ status: 400, code: 'invalid-argument' });
    const before = await blobsOf();
    await put('other', 'x', '', headers);
    expect(await blobsOf()).toEqual(before);
  });

  it('refuses a document over the limit, announced or not, and leaves nothing', async () => {
    const before = await blobsOf();
    const sent = commands.length;
    const announced = await put('big', Buffer.alloc(1_000_001));
    expect(announced.statusCode).toBe(413);
    expect(announced.json()).toMatchObject({ code: 'too-large' });
    const { url } = await gateway.listen();
    const streamed = await fetch(`${url}${documents}/big`, {
      method: 'PUT',
      duplex: 'half',
      body: (async function* () {
        for (let index = 0; index < 20; index++) yield await Promise.resolve(Buffer.alloc(100_000));
      })(),
    });
    expect(streamed.status).toBe(413);
    expect(await blobsOf()).toEqual(before);
    expect(commands.length).toBe(sent);
  });

  it('holds next to nothing of a large upload in memory', async () => {
    const { url } = await (await bed.gateway()).listen();
    const sender = `
      const piece = Buffer.alloc(1024 * 1024, 'x');
      const body = (async function* () { for (let index = 0; index < 300; index++) yield piece; })();
      const { status } = await fetch('${url}${documents}/large', { method: 'PUT', duplex: 'half', body });
      process.exit(status === 202 ? 0 : 1);`;
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 20);
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', sender]);
    clearInterval(watching);
    expect(most).toBeLessThan(120 * 1024 * 1024);
  });

  it('refuses an unknown collection and names the command that makes one', async () => {
    const response = await gateway.app.inject({
      method: 'PUT',
      url: '/sluice/v1/collections/missing/documents/x',
      payload: 'x',
    });
    expect(response.statusCode).toBe(404);
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(response.json()).toMatchObject({ code: 'collection-not-found' });
    expect(response.json<{ detail: string }>().detail).toContain('sluice collections create missing');
  });

  it('refuses what the collection is not pinned to', async () => {
    const collection = {
      ...{ workspace: 'default', id: 'elsewhere', name: 'elsewhere', description: '', metadata: {} },
      space: { id: 'other', model: 'bge', dimensions: 9 },
      chunkerSpec: null,
      lexical: { version: 1, language: 'english' },
    };
    await bed.ports.catalog.createCollection(collection);
    const foreign = await gateway.app.inject({
      method: 'PUT',
      url: '/sluice/v1/collections/elsewhere/documents/x',
      payload: 'x',
    });
    expect(foreign.json()).toMatchObject({ status: 409, code: 'space-mismatch' });
    expect(foreign.json<{ detail: string }>().detail).toMatch(/bge\/9.*stub\/3/);
    const size = await put('x', 'x', '?expected_chunk_size=200');
    expect(size.json()).toMatchObject({ status: 409, code: 'spec-mismatch' });
    const space = await put('x', 'x', '?expected_space=minilm');
    expect(space.json()).toMatchObject({ status: 409, code: 'space-mismatch' });
    expect((await put('x', 'x', '?expected_chunk_size=512&expected_space=stub')).statusCode).toBe(202);
  });
});

describe('with a librarian', () => {
  beforeAll(async () => {
    await startStandInLibrarian(bed);
  });

  it('waits until the document is ready, when asked to', async () => {
    const response = await put('waited', 'some text', '?wait=true&source=file%3A%2F%2F%2Fw.md&title=W');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      ...{ document_id: 'waited', version: 1, state: 'ready', chunk_count: 1, unchanged: false, replaced: null },
    });
    const preferred = await put('waited', 'other text', '', { prefer: 'wait=20' });
    expect(preferred.json()).toMatchObject({ version: 2, state: 'ready', replaced: 1 });
    const read = await gateway.app.inject(`${documents}/waited`);
    expect(read.json()).toMatchObject({ state: 'ready', live: { version: 2 }, newest: { version: 2 } });
  });

  it('answers 202 when the wait is over before the work', async () => {
    const response = await put('late', 'x', '?wait=0');
    expect([200, 202]).toContain(response.statusCode);
  });

  it('serves text, ranges of it, chunks, and one chunk by its id', async () => {
    await put('read', '0123456789', '?wait=true');
    const text = await gateway.app.inject(`${documents}/read/text`);
    expect(text.body).toBe('0123456789');
    const ranges = { 'bytes=2-4': '234', 'bytes=7-': '789', 'bytes=-3': '789', 'bytes=8-100': '89' };
    for (const [range, expected] of Object.entries(ranges)) {
      const part = await gateway.app.inject({ url: `${documents}/read/text`, headers: { range } });
      expect([part.statusCode, part.body]).toEqual([206, expected]);
    }
    const beyond = await gateway.app.inject({ url: `${documents}/read/text`, headers: { range: 'bytes=10-' } });
    expect(beyond.json()).toMatchObject({ status: 416, code: 'range-not-satisfiable' });
    const chunks = (await gateway.app.inject(`${documents}/read/chunks`)).json<{ chunks: { chunk_id: string }[] }>();
    expect(chunks).toMatchObject({ chunks: [{ seq: 0, text: '0123456789', heading_path: ['Top'] }], next: null });
    const id = chunks.chunks[0]?.chunk_id ?? '';
    expect((await gateway.app.inject(`/sluice/v1/chunks/${id}`)).json()).toMatchObject({ chunk_id: id, version: 1 });
    const elsewhere = { url: `/sluice/v1/chunks/${id}`, headers: { 'x-sluice-workspace': 'other' } };
    expect((await gateway.app.inject(elsewhere)).json()).toMatchObject({ status: 404, code: 'chunk-not-found' });
  });

  it('deletes, and a document that is not there is no error', async () => {
    await put('gone', 'x', '?wait=true');
    const deleted = await gateway.app.inject({ method: 'DELETE', url: `${documents}/gone?wait=true` });
    expect(deleted.json()).toMatchObject({ state: 'deleted' });
    expect((await gateway.app.inject(`${documents}/gone`)).json()).toMatchObject({ code: 'document-not-found' });
    const nothing = await gateway.app.inject({ method: 'DELETE', url: `${documents}/never` });
    expect(nothing.statusCode).toBe(202);
  });

  it('lists pages', async () => {
    const first = (await gateway.app.inject(`${documents}?limit=2`)).json<{ documents: unknown[]; next: string }>();
    expect(first.documents).toHaveLength(2);
    const second = await gateway.app.inject(`${documents}?limit=1000&after=${encodeURIComponent(first.next)}`);
    expect(second.json()).toMatchObject({ next: null });
    expect((await gateway.app.inject(`${documents}?limit=0`)).json()).toMatchObject({ code: 'invalid-argument' });
  });
});
