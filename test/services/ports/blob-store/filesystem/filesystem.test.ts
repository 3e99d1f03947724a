import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeFailure } from '../../../../../services/ports/blob-store/filesystem/failures.js';
import { createFilesystemBlobStore } from '../../../../../services/ports/blob-store/filesystem/filesystem.js';
import type { BlobStore } from '../../../../../services/ports/blob-store/port.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-blobs-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function listed(store: BlobStore): Promise<{ key: string; sizeBytes: number }[]> {
  const all: { key: string; sizeBytes: number }[] = [];
  for await (const { key, sizeBytes } of store.list('')) all.push({ key, sizeBytes });
  return all;
}

describe('filesystem blob store', () => {
  it('names files after their keys, so that a person finds them', async () => {
    const store = await createFilesystemBlobStore({ folder: path.join(folder, 'made/on/demand') });
    await store.put('acme/texts/0af3', Buffer.from('x'));
    await store.put('acme/a b/.hidden', Buffer.from('x'));
    const names = await readdir(path.join(folder, 'made/on/demand'), { recursive: true });
    expect(names.sort()).toEqual(
      ['.incoming', 'acme', 'acme/a%20b', 'acme/a%20b/%2Ehidden', 'acme/texts', 'acme/texts/0af3'].sort(),
    );
  });

  it('removes folders that a delete left empty', async () => {
    const store = await createFilesystemBlobStore({ folder });
    await store.put('acme/packs/one/0', Buffer.from('x'));
    await store.put('acme/packs/two/0', Buffer.from('x'));
    await store.delete(['acme/packs/one/0']);
    expect(await readdir(path.join(folder, 'acme/packs'))).toEqual(['two']);
    await store.delete(['acme/packs/two/0']);
    expect(await readdir(folder)).toEqual(['.incoming']);
  });

  it('sweeps unfinished writes when it opens, and passes over files that are not its own', async () => {
    await mkdir(path.join(folder, '.incoming'));
    await writeFile(path.join(folder, '.incoming', 'half'), 'ha');
    await writeFile(path.join(folder, 'lost+found'), '');
    await writeFile(path.join(folder, '%41'), 'not how A is written');
    const store = await createFilesystemBlobStore({ folder });
    expect(await readdir(path.join(folder, '.incoming'))).toEqual([]);
    expect(await listed(store)).toEqual([]);
  });

  it('leaves its folder through no symbolic link', async () => {
    const outside = path.join(folder, 'outside');
    const inside = path.join(folder, 'inside');
    await mkdir(outside);
    await mkdir(inside);
    await writeFile(path.join(outside, 'secret'), 'secret');
    await symlink(outside, path.join(inside, 'acme'));
    await symlink(path.join(outside, 'secret'), path.join(inside, 'leaf'));
    const store = await createFilesystemBlobStore({ folder: inside });
    const refused = { code: 'unavailable' };
    for (const key of ['acme/secret', 'acme/texts/x']) {
      await expect(store.put(key, Buffer.from('x'))).rejects.toMatchObject(refused);
    }
    await expect(store.get('acme/secret')).rejects.toMatchObject(refused);
    await expect(store.get('leaf')).rejects.toMatchObject(refused);
    await expect(store.head('acme/secret')).rejects.toMatchObject(refused);
    await expect(store.delete(['acme/secret'])).rejects.toMatchObject(refused);
    expect(await listed(store)).toEqual([]);
    await store.put('leaf', Buffer.from('replaces the link, not what it leads to'));
    expect((await store.get('leaf'))?.toString()).toContain('replaces');
    expect(await readdir(outside)).toEqual(['secret']);
  });

  it('may itself be reached through a symbolic link', async () => {
    await mkdir(path.join(folder, 'real'));
    await symlink(path.join(folder, 'real'), path.join(folder, 'link'));
    const store = await createFilesystemBlobStore({ folder: path.join(folder, 'link') });
    await store.put('acme/x', Buffer.from('x'));
    expect(await readdir(path.join(folder, 'real'))).toContain('acme');
  });

  it('refuses a key that is a folder of another blob', async () => {
    const store = await createFilesystemBlobStore({ folder });
    await store.put('acme/a/b', Buffer.from('x'));
    await expect(store.put('acme/a', Buffer.from('x'))).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(store.put('acme/a/b/c', Buffer.from('x'))).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(await readdir(path.join(folder, '.incoming'))).toEqual([]);
  });

  it('says what a full disk and a broken one mean', () => {
    const failure = (code: string): unknown =>
      storeFailure(Object.assign(new Error(code), { code }), 'writing', '/data');
    expect(failure('ENOSPC')).toMatchObject({
      code: 'storage-full',
      message: expect.stringContaining('/data') as string,
    });
    expect(failure('EDQUOT')).toMatchObject({ code: 'storage-full' });
    expect(failure('EIO')).toMatchObject({ code: 'unavailable' });
    const bug = new TypeError('a bug');
    expect(storeFailure(bug, 'writing', '/data')).toBe(bug);
  });

  it('says storage-full when the disk is, leaves nothing by half, and goes on when there is space', async (context) => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
    } catch (error) {
      context.skip(`no small disk can be made here: ${error instanceof Error ? error.message : ''}`);
    }
    try {
      const store = await createFilesystemBlobStore({ folder });
      const large = Buffer.alloc(3_000_000, 'x');
      const pieces = async function* (): AsyncGenerator<Buffer> {
        for (let index = 0; index < 30; index++) yield await Promise.resolve(large.subarray(0, 100_000));
      };
      await store.put('acme/one', large);
      await expect(store.put('acme/two', large)).rejects.toMatchObject({ code: 'storage-full', class: 'unavailable' });
      await expect(store.putStream('acme/two', pieces())).rejects.toMatchObject({ code: 'storage-full' });
      expect(await listed(store)).toEqual([{ key: 'acme/one', sizeBytes: large.length }]);
      expect(await readdir(path.join(folder, '.incoming'))).toEqual([]);
      await store.delete(['acme/one']);
      await store.putStream('acme/two', pieces());
      expect(await listed(store)).toEqual([{ key: 'acme/two', sizeBytes: large.length }]);
    } finally {
      execFileSync('umount', ['-l', folder]);
    }
  });

  it('refuses a folder that it cannot use', async () => {
    await writeFile(path.join(folder, 'file'), '');
    await expect(createFilesystemBlobStore({ folder: path.join(folder, 'file') })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('has every acknowledged blob, and none by half, after kill -9 at any moment', async () => {
    const script = path.join(import.meta.dirname, 'put-until-killed.mjs');
    const acknowledged = new Map<string, number>();
    for (let round = 0; round < 6; round++) {
      const child = spawn(process.execPath, [script, folder, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      let seen = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        const [key, size] = line.split(' ');
        if (key !== undefined) acknowledged.set(key, Number(size));
        if (++seen === 5 + round * 23) child.kill('SIGKILL');
      }
      expect(await exited).toEqual([null, 'SIGKILL']);
      const store = await createFilesystemBlobStore({ folder });
      const found = new Map((await listed(store)).map(({ key, sizeBytes }) => [key, sizeBytes]));
      for (const [key, size] of acknowledged) expect(found.get(key), key).toBe(size);
      for (const key of found.keys()) {
        const text = (await store.get(key))?.toString() ?? '';
        expect(text === `${key}\n`.repeat(text.length / (key.length + 1)), key).toBe(true);
      }
      expect(await readdir(path.join(folder, '.incoming'))).toEqual([]);
    }
    expect(acknowledged.size).toBeGreaterThan(300);
  });
});
