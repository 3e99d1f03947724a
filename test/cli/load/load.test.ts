import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { problem, startStub } from '../stub-gateway.js';
import { runCli, type CliResult } from '../run-cli.js';

type Stub = Awaited<ReturnType<typeof startStub>>;

let root: string;
let folder: string;
const stubs: Stub[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-load-'));
  folder = join(root, 'docs');
  await mkdir(folder);
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(stubs.splice(0).map((stub) => stub.close()));
  await rm(root, { recursive: true });
});

const start = async (options: Parameters<typeof startStub>[0] = {}): Promise<Stub> => {
  const stub = await startStub(options);
  stubs.push(stub);
  return stub;
};
const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const sourceOf = (name: string): string => pathToFileURL(join(folder, name)).href;
const load = (stub: Stub, args: readonly string[] = [folder], more: object = {}): Promise<CliResult> =>
  runCli(['load', '--url', stub.url, ...args], { env: { XDG_STATE_HOME: join(root, 'state') }, cwd: root, ...more });
/** Files are remembered only when their last change is some seconds old: the clock goes on instead of the test. */
const later = (): void => {
  vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ['Date'] });
};

describe('sluice load', () => {
  it('makes the collection, says what it is pinned to, and counts what was new', async () => {
    const stub = await start();
    await write('a.md', 'x'.repeat(150));
    await write('b.txt', 'y');
    await write('c.png', 'z');
    const loaded = await load(stub, [folder, '--json', '--collection', 'handbook']);
    expect(loaded.json()).toEqual({
      ...{ new: 2, changed: 0, unchanged: 0, failed: [], chunks: 3 },
      seconds: expect.any(Number) as number,
    });
    expect(loaded.exitCode).toBe(0);
    expect(loaded.stderr).toContain('created collection handbook. It is pinned to stub/4.');
    expect(loaded.stderr).toContain('left out 1 .png');
    expect(stub.uploads.sort()).toEqual([sourceOf('a.md'), sourceOf('b.txt')]);
  });

  it('does not read again what the server has, and says so', async () => {
    const stub = await start();
    await write('a.md', 'one');
    await write('b.md', 'two');
    later();
    await load(stub);
    stub.uploads.length = 0;
    const again = await load(stub);
    expect(again.stdout).toBe('Nothing new: 2 documents unchanged, nothing was embedded.\n');
    expect(stub.uploads).toEqual([]);
    expect((await load(stub, [folder, '--json'])).json()).toMatchObject({
      new: 0,
      changed: 0,
      unchanged: 2,
      chunks: 0,
    });
  });

  it('notices a change that keeps size and modification time', async () => {
    const stub = await start();
    await write('a.md', 'one');
    await utimes(join(folder, 'a.md'), 1_700_000_000, 1_700_000_000);
    later();
    await load(stub);
    await write('a.md', 'two');
    await utimes(join(folder, 'a.md'), 1_700_000_000, 1_700_000_000);
    expect((await load(stub, [folder, '--json'])).json()).toMatchObject({ new: 0, changed: 1, unchanged: 0 });
  });

  it('does not trust its memory of a file that was being changed when it was read', async () => {
    const stub = await start();
    await write('a.md', 'one');
    await load(stub);
    stub.uploads.length = 0;
    expect((await load(stub, [folder, '--json'])).json()).toMatchObject({ unchanged: 1 });
    expect(stub.uploads).toHaveLength(1);
  });

  it('sends again what the server has lost, failed at, or holds with other metadata', async () => {
    const stub = await start();
    for (const name of ['lost.md', 'failed.md', 'retagged.md', 'kept.md']) await write(name, name);
    later();
    await load(stub, [folder, '--tag', 'x']);
    for (const [key, document] of stub.documents) {
      const source = document.query.get('source');
      if (source === sourceOf('lost.md')) stub.documents.delete(key);
      if (source === sourceOf('failed.md')) document.state = 'failed';
      if (source === sourceOf('retagged.md')) document.query.set('tag', 'y');
    }
    stub.uploads.length = 0;
    await load(stub, [folder, '--tag', 'x']);
    expect(stub.uploads.sort()).toEqual(['failed.md', 'lost.md', 'retagged.md'].map(sourceOf));
  });

  it('sends all again when it is told other metadata, or to force it', async () => {
    const stub = await start();
    await write('a.md', 'one');
    later();
    await load(stub);
    stub.uploads.length = 0;
    await load(stub, [folder, '--meta', 'year=2024']);
    expect(stub.uploads).toHaveLength(1);
    expect((await load(stub, [folder, '--force', '--json'])).json()).toMatchObject({ changed: 1 });
  });

  it('waits for what an interrupted load had sent, without reading it again', async () => {
    const stub = await start({ outcome: () => ({ state: 'accepted' }) });
    await write('a.md', 'one');
    later();
    const controller = new AbortController();
    const first = load(stub, [folder], { signal: controller.signal });
    await vi.waitFor(() => expect(stub.uploads).toHaveLength(1));
    await vi.waitFor(() => expect(stub.operations.size).toBe(1));
    // The answer is on its way: only then the file is remembered.
    await new Promise((resolve) => setTimeout(resolve, 300));
    controller.abort();
    const interrupted = await first;
    expect(interrupted.exitCode).toBe(130);
    expect(interrupted.stderr).toContain('The server took 1 document and goes on with them by itself');

    const second = load(stub, [folder, '--json']);
    await vi.waitFor(() => expect(stub.requests.filter((one) => one.includes('/operations/'))).not.toEqual([]));
    for (const operation of stub.operations.values()) Object.assign(operation, { state: 'ready' });
    expect((await second).json()).toMatchObject({ new: 1, unchanged: 0 });
    expect(stub.uploads).toHaveLength(1);
  });

  it('finds out how documents ended when no event tells', async () => {
    const stub = await start({ events: false });
    for (let index = 0; index < 30; index++) await write(`${index}.md`, `${index}`);
    expect((await load(stub, [folder, '--json'])).json()).toMatchObject({ new: 30 });
  });

  it('lets one document fail alone, with its reason', async () => {
    const stub = await start({
      outcome: (body) =>
        body.includes('bad') ? { state: 'failed', code: 'invalid-document', reason: 'it is torn' } : { state: 'ready' },
    });
    await write('bad.md', 'bad');
    await write('good.md', 'good');
    const loaded = await load(stub, [folder, '--json']);
    expect(loaded.exitCode).toBe(1);
    expect(loaded.json()).toMatchObject({
      new: 1,
      failed: [{ source: join(folder, 'bad.md'), code: 'invalid-document', reason: 'it is torn' }],
    });
    const shown = await load(stub);
    expect(shown.stdout).toContain('1 failed');
    expect(shown.stdout).toContain('bad.md: it is torn');
  });

  it('lets a file that cannot be read fail alone', async () => {
    const stub = await start();
    await write('a.md', 'one');
    await symlink(join(folder, 'nothing'), join(folder, 'gone.md'));
    const loaded = await load(stub, [folder, '--json']);
    expect(loaded.exitCode).toBe(1);
    expect(loaded.json()).toMatchObject({
      new: 1,
      failed: [{ source: join(folder, 'gone.md'), code: 'unreadable', reason: 'there is no such file or folder' }],
    });
  });

  it('sends standard input under its name and id', async () => {
    const stub = await start();
    const loaded = await load(stub, ['-', '--name', 'notes.md', '--id', 'n-1', '--title', 'Notes', '--json'], {
      stdin: '# Hello',
    });
    expect(loaded.json()).toMatchObject({ new: 1 });
    const [document] = [...stub.documents.values()];
    expect(document?.documentId).toBe('n-1');
    expect(Object.fromEntries(document?.query ?? [])).toMatchObject({
      ...{ source: 'notes.md', title: 'Notes', content_type: 'text/markdown' },
    });
  });

  it('sends typed metadata, tags and the file time', async () => {
    const stub = await start();
    await write('a.md', 'one');
    await utimes(join(folder, 'a.md'), 1_700_000_000, 1_700_000_000);
    await load(stub, [join(folder, 'a.md'), '--meta', 'year=2024', '--meta', 'draft=true', '--tag', 'x', '--tag', 'y']);
    const query = [...stub.documents.values()][0]?.query;
    expect(JSON.parse(query?.get('metadata') ?? '')).toEqual({ year: 2024, draft: true });
    expect(query?.getAll('tag')).toEqual(['x', 'y']);
    expect(query?.get('file_time')).toBe('2023-11-14T22:13:20.000Z');
  });

  it('goes on with a server that was away for a while', async () => {
    const first = await start({ events: false, outcome: () => ({ state: 'accepted' }) });
    await write('a.md', 'one');
    const loading = load(first, [folder, '--json']);
    await vi.waitFor(() => expect(first.operations.size).toBe(1));
    const operations = [...first.operations];
    await first.close();
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    const second = await start({ port: first.port });
    for (const [id, operation] of operations) second.operations.set(id, { ...operation, state: 'ready' });
    const loaded = await loading;
    expect(loaded.json()).toMatchObject({ new: 1, failed: [] });
    expect(loaded.stderr).toContain('does not answer; trying again');
  });

  it('ends with exit code 4 where the collection is pinned to something else, though no file has changed', async () => {
    const stub = await start();
    await write('a.md', 'one');
    later();
    await load(stub);
    for (const [flag, value, code] of [
      ['--embedding', 'other', 'space-mismatch'],
      ['--chunk-size', '100', 'spec-mismatch'],
      ['--chunk-overlap', '0', 'spec-mismatch'],
    ] as const) {
      const loaded = await load(stub, [folder, flag, value, '--json']);
      expect([loaded.exitCode, loaded.json()]).toMatchObject([4, { error: { code } }]);
      expect(loaded.stderr).toContain(value);
    }
    const right = await load(stub, [folder, '--embedding', 'stub', '--chunk-size', '512', '--json']);
    expect([right.exitCode, right.json()]).toMatchObject([0, { unchanged: 1 }]);
    expect(stub.uploads).toEqual([sourceOf('a.md')]);
  });

  it('ends with exit code 4 where the server refuses the space', async () => {
    const stub = await start({
      refuse: (method, path) =>
        method === 'POST' && path.endsWith('/documents')
          ? problem(409, 'space-mismatch', 'collection "default" uses stub/4: choose a collection in that space')
          : undefined,
    });
    stub.createCollection('default');
    await write('a.md', 'one');
    await write('b.md', 'two');
    const loaded = await load(stub, [folder, '--json']);
    expect(loaded.exitCode).toBe(4);
    expect(loaded.json()).toEqual({
      error: {
        code: 'space-mismatch',
        message: 'collection "default" uses stub/4: choose a collection in that space',
      },
    });
    expect(loaded.stderr).toContain('error: collection "default" uses stub/4');
  });

  it('counts without sending, and without a server', async () => {
    await write('a.md', 'one two three four\n'.repeat(100));
    await write('b.md', '<|endoftext|>');
    const counted = await runCli(['load', folder, '--dry-run', '--json', '--url', 'http://127.0.0.1:9']);
    expect(counted.exitCode).toBe(0);
    const { tokens, ...rest } = counted.json() as { tokens: number };
    expect(rest).toEqual({ files: 2, bytes: 1913, chunks: 2, chunk_size: 512, failed: [] });
    expect(tokens).toBeGreaterThan(400);
    expect(tokens).toBeLessThan(600);
  });

  it.each([
    ['an empty folder', ['.'], /no file to load in "\."/],
    ['a path that is not there', ['missing.md'], /cannot load "missing.md": there is no such file/],
    ['one id for several files', ['docs', '--id', 'x'], /--id "x" names one document/],
    ['metadata that is none', ['docs', '--meta', 'x'], /is not key=value/],
    ['a concurrency of 0', ['docs', '--concurrency', '0'], /whole number from 1 to 64/],
    ['standard input among files', ['-', 'docs'], /standard input/],
    ['a name without standard input', ['docs', '--name', 'x'], /--name/],
    ['a flag that is none', ['docs', '--colection', 'x'], /unknown option.*--collection/su],
  ])('refuses %s before anything is sent', async (_, args, message) => {
    const stub = await start();
    if (args[0] !== '.') {
      await write('a.md', 'one');
      await write('b.md', 'two');
    }
    const loaded = await load(stub, args, { stdin: 'x' });
    expect(loaded.exitCode).toBe(2);
    expect(loaded.stderr).toMatch(message);
    expect(stub.requests).toEqual([]);
  });
});
