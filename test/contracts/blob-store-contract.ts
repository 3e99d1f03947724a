import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareBytes } from '../../services/domain/identity.js';
import type { BlobStore } from '../../services/ports/blob-store/port.js';

/** What every blob store must hold to. `makeAdapter` gives an empty store and how to take it away. */
export function describeBlobStoreContract(
  name: string,
  makeAdapter: () => Promise<{ readonly store: BlobStore; readonly remove: () => Promise<void> }>,
): void {
  describe(`blob store contract: ${name}`, () => {
    let store: BlobStore;
    let remove: () => Promise<void>;

    beforeAll(async () => {
      ({ store, remove } = await makeAdapter());
    });
    afterAll(async () => {
      await store.close();
      await remove();
    });

    const keysUnder = async (prefix: string): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { key } of store.list(prefix)) keys.push(key);
      return keys;
    };
    const refused = { name: 'SluiceError', code: 'invalid-argument' };

    async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
      for (const text of texts) yield await Promise.resolve(Buffer.from(text));
    }

    it('gives back what was put, byte for byte', async () => {
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
      await store.put('bytes/all', bytes);
      expect((await store.get('bytes/all'))?.equals(bytes)).toBe(true);
    });

    it('keeps an empty blob', async () => {
      await store.put('empty/blob', Buffer.alloc(0));
      expect(await store.get('empty/blob')).toEqual(Buffer.alloc(0));
      expect(await store.head('empty/blob')).toMatchObject({ key: 'empty/blob', sizeBytes: 0 });
    });

    it('replaces a blob as a whole', async () => {
      await store.put('replace/it', Buffer.from('a long first text'));
      await store.put('replace/it', Buffer.from('second'));
      expect((await store.get('replace/it'))?.toString()).toBe('second');
    });

    it('says nothing is there for absent keys', async () => {
      await store.put('absent/there', Buffer.from('x'));
      for (const key of ['absent/other', 'absent', 'absent/there/below', 'nowhere']) {
        expect(await store.get(key)).toBeUndefined();
        expect(await store.getStream(key)).toBeUndefined();
        expect(await store.head(key)).toBeUndefined();
      }
      expect(await keysUnder('nowhere/')).toEqual([]);
    });

    it('tells size and time of a blob', async () => {
      const before = Date.now() - 5_000;
      await store.put('head/it', Buffer.from('twelve bytes'));
      const info = await store.head('head/it');
      expect(info).toMatchObject({ key: 'head/it', sizeBytes: 12 });
      expect(info?.modifiedAt.getTime()).toBeGreaterThan(before);
      expect(info?.modifiedAt.getTime()).toBeLessThan(Date.now() + 5_000);
    });

    it('streams a blob in and out, whole and by range', async () => {
      expect(await store.putStream('stream/it', pieces('0123', '', '456789'))).toEqual({ sizeBytes: 10 });
      const read = async (range?: { start: number; end: number }): Promise<string | undefined> => {
        const stream = await store.getStream('stream/it', range);
        return stream && (await buffer(stream)).toString();
      };
      expect(await read()).toBe('0123456789');
      expect(await read({ start: 3, end: 7 })).toBe('3456');
      expect(await read({ start: 8, end: 100 })).toBe('89');
      expect(await read({ start: 4, end: 4 })).toBe('');
      expect(await read({ start: 100, end: 200 })).toBe('');
      await expect(read({ start: 5, end: 4 })).rejects.toMatchObject(refused);
      await expect(read({ start: -1, end: 4 })).rejects.toMatchObject(refused);
    });

    it('streams a blob of many megabytes', async () => {
      const piece = Buffer.alloc(1 << 20, 'sluice');
      const source = async function* (): AsyncGenerator<Buffer> {
        for (let index = 0; index < 24; index++) yield await Promise.resolve(piece);
      };
      expect(await store.putStream('stream/large', source())).toEqual({ sizeBytes: 24 << 20 });
      const stream = await store.getStream('stream/large', { start: (23 << 20) + 6, end: (23 << 20) + 12 });
      expect(stream && (await buffer(stream)).equals(piece.subarray(6, 12))).toBe(true);
    });

    it('leaves nothing behind of a source that fails, and an older blob as it was', async () => {
      const failing = async function* (): AsyncGenerator<Buffer> {
        yield Buffer.from('half');
        await Promise.resolve();
        throw new Error('the source broke');
      };
      await expect(store.putStream('failing/new', failing())).rejects.toThrow('the source broke');
      expect(await store.get('failing/new')).toBeUndefined();
      await store.put('failing/old', Buffer.from('old'));
      await expect(store.putStream('failing/old', failing())).rejects.toThrow('the source broke');
      expect((await store.get('failing/old'))?.toString()).toBe('old');
      expect(await keysUnder('failing/')).toEqual(['failing/old']);
    });

    it('stops a stream whose source is silent when it is aborted', async () => {
      const abort = new AbortController();
      const silent = async function* (): AsyncGenerator<Buffer> {
        yield Buffer.from('first');
        setImmediate(() => abort.abort(new Error('the caller left')));
        await new Promise(() => undefined);
      };
      await expect(store.putStream('aborted/it', silent(), abort.signal)).rejects.toThrow('the caller left');
      await expect(store.putStream('aborted/it', pieces('x'), abort.signal)).rejects.toThrow('the caller left');
      expect(await keysUnder('aborted/')).toEqual([]);
    });

    it('lists by prefix in byte order', async () => {
      const keys = ['a', 'a.b', 'a/b', 'a0', 'a~', 'ab/c', 'B', 'z', 'é', '漢/字', '😀', '\uffff'].map(
        (key) => `list/${key}x`,
      );
      await Promise.all(keys.map((key) => store.put(key, Buffer.from(key))));
      await store.put('list-other', Buffer.from('x'));
      const sorted = keys.toSorted(compareBytes);
      expect(await keysUnder('list/')).toEqual(sorted);
      expect(await keysUnder('list/a')).toEqual(sorted.filter((key) => key.startsWith('list/a')));
      expect(await keysUnder('list/漢')).toEqual(['list/漢/字x']);
      expect((await keysUnder('list')).at(0)).toBe('list-other');
      for await (const info of store.list('list/')) expect(info.sizeBytes).toBe(Buffer.byteLength(info.key));
    });

    it('deletes the keys that exist, and theirs alone', async () => {
      const keys = Array.from({ length: 40 }, (_, index) => `delete/${index % 4}/${index}`);
      await Promise.all(keys.map((key) => store.put(key, Buffer.from(key))));
      await store.delete([...keys.slice(0, 39), 'delete/never/was', 'delete/0']);
      expect(await keysUnder('delete/')).toEqual(keys.slice(39));
      await store.delete([]);
      await store.put('delete/0/0', Buffer.from('again'));
      expect((await store.get('delete/0/0'))?.toString()).toBe('again');
    });

    it('loses no blob when its neighbours are deleted at the same time', async () => {
      const rounds = Array.from({ length: 60 }, (_, index) => index);
      await Promise.all(
        rounds.map(async (round) => {
          await store.put(`race/folder/${round}`, Buffer.from('x'));
          if (round % 2 === 0) await store.delete([`race/folder/${round}`]);
        }),
      );
      expect((await keysUnder('race/')).length).toBe(30);
    });

    it('lets one whole write win when several write one key', async () => {
      const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(50_000));
      await Promise.all(texts.map((text) => store.put('contended/key', Buffer.from(text))));
      expect(texts).toContain((await store.get('contended/key'))?.toString());
    });

    it.each(['', '/', 'a//b', '/a', 'a/', '.', '..', 'a/../b', 'a/./b', 'a/..', 'nul/\0', 'lone/\ud800'])(
      'refuses the key %j',
      async (key) => {
        await expect(store.put(key, Buffer.from('x'))).rejects.toMatchObject(refused);
        await expect(store.putStream(key, pieces('x'))).rejects.toMatchObject(refused);
        await expect(store.get(key)).rejects.toMatchObject(refused);
        await expect(store.head(key)).rejects.toMatchObject(refused);
        await expect(store.getStream(key)).rejects.toMatchObject(refused);
        await expect(store.delete([key])).rejects.toMatchObject(refused);
      },
    );

    it('takes any Unicode in the parts of a key, up to 1,024 bytes, and lists it in byte order', async () => {
      const part = fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
        .filter((text) => !/[/\0]|^\.{1,2}$|\p{Surrogate}/u.test(text));
      const tricky = ['.x', '...', '%2E', '%', 'a b', 'con', 'x~', '~', '\\', 'A'.repeat(197), `${'A'.repeat(197)}~`];
      const long = ['A'.repeat(198), 'A'.repeat(199), 'A'.repeat(900), `${'A'.repeat(198)}..`, 'é'.repeat(450)];
      let round = 0;
      const keysHold = async (parts: string[]): Promise<void> => {
        const prefix = `unicode/${round++}/`;
        // Every key ends in the same leaf, so that none is a folder of another.
        const keys = [...new Set(parts)].map((text) => `${prefix}${text}/leaf`).toSorted(compareBytes);
        await Promise.all(keys.map((key) => store.put(key, Buffer.from(key))));
        expect(await keysUnder(prefix)).toEqual(keys);
        for (const key of keys) expect((await store.get(key))?.toString()).toBe(key);
      };
      await keysHold([...tricky, ...long]);
      await fc.assert(fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), keysHold), { numRuns: 25 });
    });
  });
}
