import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Pack } from '../../../../services/domain/text.js';
import { createFilesystemBlobStore } from '../../../../services/ports/blob-store/filesystem/filesystem.js';
import { blobKeys } from '../../../../services/ports/blob-store/keys.js';
import { mapConcurrently } from '../../../../services/ports/blob-store/map-concurrently.js';
import { hydrate, readPack, writePack } from '../../../../services/ports/blob-store/packs.js';
import type { BlobStore } from '../../../../services/ports/blob-store/port.js';

const packOf = (first: number, count: number, filler = ''): Pack => ({
  textSha256: 'ab',
  chunks: Array.from({ length: count }, (_, index) => ({
    ...{ seq: first + index, start: index * 10, end: index * 10 + 9, text: `chunk ${first + index}${filler}` },
    headingPath: ['Heading'],
  })),
});

describe('packs', () => {
  let folder: string;
  let store: BlobStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-packs-'));
    store = await createFilesystemBlobStore({ folder });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('come back as they were written', async () => {
    const pack = packOf(64, 3);
    await writePack(store, 'acme', 'v', 1, pack);
    expect(await readPack(store, 'acme', 'v', 1)).toEqual(pack);
    expect(await readPack(store, 'acme', 'v', 0)).toBeUndefined();
    expect(await readPack(store, 'rival', 'v', 1)).toBeUndefined();
  });

  it.each(['', '{', '[]', 'null', '{"chunks": []}'])('that are none are named: %j', async (text) => {
    await store.put(blobKeys.pack('acme', 'v', 0), Buffer.from(text));
    await expect(readPack(store, 'acme', 'v', 0)).rejects.toThrow(/acme\/packs\/v\/00000000 is not a pack/);
  });

  describe('give hits their texts', () => {
    const hit = (seq: number, version_hash = 'v') => ({ version_hash, seq, score: seq });

    it('in order, with their place, and say which is missing', async () => {
      const lead = '| a |\n';
      const chunks = packOf(0, 2).chunks.map((chunk) => ({ ...chunk, lead, page: 7 }));
      await writePack(store, 'acme', 'v', 0, { textSha256: 'ab', chunks });
      const missing = { hydrated: false, text: '', lead: null, heading_path: [], start: 0, end: 0, page: null };
      expect(await hydrate(store, 'acme', [hit(1), hit(5), hit(0, 'w'), hit(0, ''), hit(0)])).toEqual([
        { ...hit(1), hydrated: true, text: 'chunk 1', lead, heading_path: ['Heading'], start: 10, end: 19, page: 7 },
        { ...hit(5), ...missing },
        { ...hit(0, 'w'), ...missing },
        { ...hit(0, ''), ...missing },
        { ...hit(0), hydrated: true, text: 'chunk 0', lead, heading_path: ['Heading'], start: 0, end: 9, page: 7 },
      ]);
    });

    it('with one get per pack, at most eight at a time, and none for packs read before', async () => {
      for (let pack = 0; pack < 20; pack++) await writePack(store, 'acme', 'v', pack, packOf(pack * 64, 64));
      const hits = Array.from({ length: 400 }, (_, index) => hit(index * 3));
      let under = 0;
      let most = 0;
      const get = store.get.bind(store);
      const counted = vi.spyOn(store, 'get').mockImplementation(async (key) => {
        most = Math.max(most, ++under);
        const bytes = await get(key);
        under--;
        return bytes;
      });
      const texts = (await hydrate(store, 'acme', hits)).map(({ text }) => text);
      expect(texts).toEqual(hits.map(({ seq }) => `chunk ${seq}`));
      expect(counted).toHaveBeenCalledTimes(19);
      expect(most).toBe(8);
      await hydrate(store, 'acme', hits);
      expect(counted).toHaveBeenCalledTimes(19);
    });

    it('without keeping more than 32 MiB', async () => {
      const filler = 'x'.repeat(5 * 1024 * 1024);
      for (let pack = 0; pack < 8; pack++) await writePack(store, 'acme', 'v', pack, packOf(pack * 64, 1, filler));
      const get = vi.spyOn(store, 'get');
      for (let pack = 0; pack < 8; pack++) await hydrate(store, 'acme', [hit(pack * 64)]);
      await hydrate(store, 'acme', [hit(7 * 64)]);
      expect(get).toHaveBeenCalledTimes(8);
      await hydrate(store, 'acme', [hit(0)]);
      expect(get).toHaveBeenCalledTimes(9);
    });
  });
});

describe('mapping concurrently', () => {
  it('begins nothing more after a failure', async () => {
    const begun: number[] = [];
    const work = mapConcurrently([1, 2, 3, 4, 5, 6], 2, (item) => {
      begun.push(item);
      return item === 2 ? Promise.reject(new Error('two')) : new Promise((resolve) => setImmediate(resolve));
    });
    await expect(work).rejects.toThrow('two');
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual([1, 2]);
  });

  it('keeps the order', async () => {
    const results = await mapConcurrently([3, 1, 2], 3, async (ticks) => {
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      return ticks;
    });
    expect(results).toEqual([3, 1, 2]);
  });
});
