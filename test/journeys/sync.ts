import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SluiceApi } from '../../gateway/client/client.js';
import { runCli } from '../cli/run-cli.js';
import type { Pipeline } from './document-life.js';

/** Folders, globs and URLs against a collection: the same on every stack. */
export function describeSync(stack: string, start: () => Promise<Pipeline>): void {
  describe(`sluice sync, ${stack}`, { timeout: 120_000 }, () => {
    let pipeline: Pipeline;
    let client: SluiceApi;
    let root: string;
    let collection: string;
    let collections = 0;

    beforeAll(async () => {
      pipeline = await start();
      client = pipeline.client;
      root = await mkdtemp(join(tmpdir(), 'sluice-sync-'));
    });
    afterAll(async () => {
      await pipeline.stop();
      await rm(root, { recursive: true, force: true });
    });
    beforeEach(async () => {
      collection = `sync-${++collections}`;
      await mkdir(join(root, collection, 'deep'), { recursive: true });
    });

    const at = (name: string): string => join(root, collection, name);
    const uri = (name: string): string => pathToFileURL(at(name)).href;
    const write = (name: string, text: string): Promise<void> => writeFile(at(name), text);
    const sync = async (...args: readonly string[]) => {
      const env = { XDG_STATE_HOME: join(root, 'state') };
      const ran = await runCli(['sync', '--json', '--url', pipeline.url, '-c', collection, ...args], {
        env,
        cwd: root,
      });
      return { exitCode: ran.exitCode, ...(ran.json() as Record<string, unknown>) };
    };
    const sources = async (): Promise<(string | null)[]> => {
      const found = [];
      for await (const { source } of client.listDocuments({ collection })) found.push(source);
      return found.sort();
    };

    it('replays recorded roots: new, changed, unchanged, gone; and prunes when told to', async () => {
      // Sorted as URLs, not as names: "a/…" comes after "a.md", and "ä" is %C3%A4.
      await mkdir(at('a'));
      for (const name of ['a/x.md', 'a.md', 'a b.md', 'ä.md', 'deep/z.md']) await write(name, `About ${name}.`);
      expect(await sync(collection)).toMatchObject({
        exitCode: 0,
        new: 5,
        changed: 0,
        unchanged: 0,
        gone: [],
        failed: [],
      });
      expect(await sync()).toMatchObject({ new: 0, changed: 0, unchanged: 5, gone: [] });

      await write('a.md', 'Violet anchors.');
      await rm(at('deep/z.md'));
      await write('new.md', 'New here.');
      const plan = await sync('--dry-run');
      expect(plan).toMatchObject({ dry_run: true, new: [uri('new.md')], changed: [uri('a.md')], unchanged: 3 });
      expect(plan).toMatchObject({ gone: [uri('deep/z.md')] });
      expect(await sources()).toHaveLength(5);

      expect(await sync()).toMatchObject({ new: 1, changed: 1, unchanged: 3, gone: [uri('deep/z.md')], deleted: 0 });
      expect(await sources()).toContain(uri('deep/z.md'));
      expect(await sync('--prune')).toMatchObject({ unchanged: 5, gone: [uri('deep/z.md')], deleted: 1 });
      expect(await sources()).toEqual(['a b.md', 'a.md', 'a/x.md', 'new.md', 'ä.md'].map(uri).sort());
      expect((await client.search({ query: 'violet', mode: 'lexical', collections: [collection] })).hits).toHaveLength(
        1,
      );
    });

    it('notices other bytes of the same size, and takes a touched file for unchanged', async () => {
      await write('one.md', 'Copper kettles');
      await write('two.md', 'Copper lantern');
      await sync(collection);
      await write('one.md', 'Silver kettles');
      await write('two.md', 'Copper lantern');
      expect(await sync()).toMatchObject({ changed: 1, unchanged: 1 });
    });

    it('prunes under the roots given and nowhere else', async () => {
      await mkdir(at('other'));
      for (const name of ['deep/a.md', 'deep/b.txt', 'other/a.md']) await write(name, name);
      await sync(at('deep'), at('other'));
      await client.ingestDocument({ collection, document_id: 'mine', body: 'By hand.', content_type: 'text/plain' });
      for (const name of ['deep/a.md', 'deep/b.txt', 'other/a.md']) await rm(at(name));
      await write('deep/c.md', 'stays');
      expect(await sync(`${collection}/deep/*.md`, '--prune')).toMatchObject({
        new: 1,
        gone: [uri('deep/a.md')],
        deleted: 1,
      });
      expect(await sources()).toEqual([uri('deep/b.txt'), uri('deep/c.md'), uri('other/a.md'), null].sort());
    });

    it('keeps documents whose files are there, though the walk leaves them out', async () => {
      await write('.hidden.md', 'Hidden.');
      await write('data.json', '{"a": 1}');
      await write('shown.md', 'Shown.');
      const env = { XDG_STATE_HOME: join(root, 'state') };
      const load = ['load', at('.hidden.md'), at('shown.md'), '-c', collection, '--url', pipeline.url];
      expect((await runCli(load, { env, cwd: root })).exitCode).toBe(0);
      expect(await sync(collection, '--prune')).toMatchObject({ unchanged: 1, gone: [], deleted: 0 });
      expect(await sources()).toEqual([uri('.hidden.md'), uri('shown.md')]);
    });

    it('prunes nothing while any root cannot be read, or gives no file any more', async () => {
      await write('deep/a.md', 'a');
      await write('b.md', 'b');
      await sync(at('deep'), at('b.md'));
      await rm(at('b.md'));
      await rm(at('deep/a.md'));
      await write('deep/c.md', 'c');
      const failed = await sync('--prune');
      expect(failed).toMatchObject({ exitCode: 1, new: 1, deleted: 0, gone: [uri('deep/a.md')] });
      expect(failed).toMatchObject({ failed: [{ source: at('b.md'), code: 'unreadable' }] });
      expect(await sync('--forget', at('b.md'))).toEqual({ exitCode: 0, roots: [{ root: at('deep') }] });
      await rm(at('deep/c.md'));
      expect(await sync('--prune')).toMatchObject({ exitCode: 1, deleted: 0, failed: [{ source: at('deep') }] });
      expect(await sync('--prune', '--allow-empty')).toMatchObject({ exitCode: 0, deleted: 2 });
      expect(await sources()).toEqual([uri('b.md')]);
    });

    it('keeps the id and the tags of what was loaded otherwise; gives those of the root', async () => {
      await write('memo.md', 'First.');
      const own = { collection, document_id: 'memo', source: uri('memo.md'), content_type: 'text/markdown' };
      await client.createCollection({ collection });
      await client.ingestDocument({ ...own, tags: ['kept'], body: 'First.' });
      expect(await sync(collection)).toMatchObject({ new: 0, unchanged: 1 });
      await write('memo.md', 'Second.');
      expect(await sync()).toMatchObject({ new: 0, changed: 1 });
      expect(await client.getDocument(collection, 'memo')).toMatchObject({ newest: { version: 2, tags: ['kept'] } });
      expect(await sync(collection, '--tag', 'handbook', '--meta', 'year=2024')).toMatchObject({ unchanged: 0 });
      const document = await client.getDocument(collection, 'memo');
      expect(document).toMatchObject({ newest: { version: 2, tags: ['handbook'], metadata: { year: 2024 } } });
      expect(await sync(collection)).toMatchObject({ unchanged: 1 });
    });

    it('takes URLs: changed, gone, and one whose server fails', async () => {
      const pages = new Map([['/page', 'Amber lanterns.']]);
      const site = await listening((path) => pages.get(path));
      const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/page`;
      expect(await sync(url)).toMatchObject({ exitCode: 0, new: 1, failed: [] });
      expect(await sync()).toMatchObject({ unchanged: 1 });
      pages.set('/page', 'Violet lanterns.');
      expect(await sync()).toMatchObject({ changed: 1 });
      pages.set('/page', 'fail');
      expect(await sync('--prune')).toMatchObject({
        exitCode: 1,
        deleted: 0,
        failed: [{ source: url, code: 'unreadable' }],
      });
      pages.delete('/page');
      expect(await sync('--prune')).toMatchObject({ exitCode: 0, gone: [url], deleted: 1 });
      await new Promise((resolve) => site.close(resolve));
    });
  });
}

async function listening(body: (path: string) => string | undefined): Promise<Server> {
  const server = createServer((request, response) => {
    const text = body(request.url ?? '');
    response.writeHead(text === undefined ? 404 : text === 'fail' ? 500 : 200, { 'content-type': 'text/plain' });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
