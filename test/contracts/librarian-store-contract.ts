import { beforeAll, describe, expect, it } from 'vitest';
import { versionHash, uuidOf, documentKeyString } from '../../services/domain/identity.js';
import { newDocument } from '../../services/domain/documents/state.js';
import type { ChangeRequest, Loaded } from '../../services/ports/catalog/librarian-store.js';
import { collectionOf, commit, indexedCommands, keyOf, submitOf, type FullCatalog } from './catalog-fixture.js';

const nothing = { documents: [], collections: [], outcomes: [], handled: [] };
const request = (change: Partial<ChangeRequest>): ChangeRequest => ({
  documents: [],
  collections: [],
  commands: [],
  pages: [],
  countVersionsTo: 0,
  exclusive: false,
  ...change,
});

/** The librarian's side of a catalog; part of the catalog contract. */
export function describeLibrarianStoreContract(catalogOf: () => FullCatalog): void {
  describe('changes', () => {
    const look = (change: Partial<ChangeRequest>): Promise<Loaded> =>
      catalogOf().change(request(change), (loaded) => ({ ...nothing, result: loaded }));

    it('show what was written, whole', async () => {
      const key = keyOf('whole', 'changes');
      await catalogOf().createCollection(collectionOf('changes'));
      await commit(catalogOf(), [
        {
          key,
          commands: [
            submitOf('one', { attributes: { text: 'ü\n"', n: 1.5, list: [true] }, tags: ['t'], fileTime: 12_345 }),
            ...indexedCommands(1, 3),
            submitOf('two'),
            { kind: 'indexed', version: 2, space: 's', pack: 9, revision: null },
          ],
        },
      ]);
      const loaded = await look({ documents: [key, keyOf('never', 'changes')], collections: [key] });
      expect(loaded.documents.size).toBe(1);
      const state = loaded.documents.get(documentKeyString(key));
      expect(state).toMatchObject({ key, lastVersion: 2 });
      expect(state?.versions.map((version) => [version.version, version.state])).toEqual([
        [1, 'ready'],
        [2, 'processing'],
      ]);
      expect(state?.versions[0]).toMatchObject({
        givenAttributes: { text: 'ü\n"', n: 1.5, list: [true] },
        decodedAttributes: { front: true },
        tags: ['t'],
        fileTime: 12_345,
        packs: 3,
        confirmed: { s: Uint8Array.of(7) },
      });
      expect(state?.versions[1]?.confirmed).toEqual({ s: Uint8Array.of(0, 2) });
      expect(loaded.collections.get('acme/changes')).toMatchObject({
        record: { id: 'changes' },
        deletion: null,
        versionsLeft: null,
      });
    });

    it('remember handled commands with their outputs', async () => {
      const ids = [uuidOf('h1'), uuidOf('h2'), uuidOf('h3')];
      const outputs = [{ topic: 't', value: { a: 'x' } }];
      await catalogOf().change(request({ commands: ids }), (loaded) => {
        expect(loaded.handled.size).toBe(0);
        return {
          ...nothing,
          handled: ids.slice(0, 2).map((command, index) => ({ command, outputs: index === 0 ? outputs : [] })),
          result: undefined,
        };
      });
      const { handled } = await look({ commands: ids });
      expect(handled).toEqual(
        new Map([
          [ids[0], outputs],
          [ids[1], []],
        ]),
      );
    });

    it('leave nothing behind when they fail', async () => {
      const id = uuidOf('failing');
      await expect(
        catalogOf().change(request({ commands: [id] }), () => {
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      await expect(
        catalogOf().change(request({ commands: [id] }), () => ({
          ...nothing,
          documents: [{ ...newDocument(keyOf('bad')), lastVersion: 1 }],
          handled: [
            { command: id, outputs: [] },
            { command: id, outputs: [] },
          ],
          result: undefined,
        })),
      ).rejects.toThrow();
      const loaded = await look({ commands: [id], documents: [keyOf('bad')] });
      expect([loaded.handled.size, loaded.documents.size]).toEqual([0, 0]);
    });

    it('tell the time after their locks', async () => {
      const before = await catalogOf().now();
      const { now } = await look({});
      expect(now).toBeGreaterThanOrEqual(before.getTime());
      expect(now).toBeLessThanOrEqual((await catalogOf().now()).getTime());
    });

    it('walk a collection, delete it, and raise the generation of the next of its name', async () => {
      const catalog = catalogOf();
      await catalog.createCollection(collectionOf('walked'));
      const keys = ['b', 'a', 'c'].map((id) => keyOf(id, 'walked'));
      await commit(
        catalog,
        keys.map((key) => ({ key, commands: [submitOf('x')] })),
      );
      await commit(catalog, [
        {
          key: keyOf('b', 'walked'),
          commands: [
            { kind: 'delete', operation: null, upTo: null },
            { kind: 'purged', version: 1 },
          ],
        },
      ]);
      const collection = { workspace: 'acme', collection: 'walked' };
      const page = (after: string | null) =>
        look({
          collections: [collection],
          pages: [{ command: 'walk', ...collection, after, unsettled: false, limit: 1 }],
          countVersionsTo: 10,
        });
      const first = await page(null);
      expect(first.pages.get('walk')).toEqual({ documents: [{ documentId: 'a', lastVersion: 1 }], last: false });
      expect((await page('a')).pages.get('walk')?.documents).toMatchObject([{ documentId: 'c' }]);
      expect((await page('c')).pages.get('walk')).toEqual({ documents: [], last: true });

      const deletion = { operations: ['op'], walked: true };
      await catalog.change(request({ collections: [collection] }), () => ({
        ...nothing,
        collections: [{ ...collection, change: 'delete', deletion }],
        result: undefined,
      }));
      expect(await catalog.collection('acme', 'walked')).toMatchObject({ state: 'deleting' });
      await expect(catalog.createCollection(collectionOf('walked'))).rejects.toMatchObject({
        code: 'collection-deleting',
      });
      await expect(catalog.updateCollection('acme', 'walked', { name: 'x' })).rejects.toMatchObject({
        code: 'collection-deleting',
      });
      const deleting = await look({ collections: [collection], countVersionsTo: 10 });
      expect(deleting.collections.get('acme/walked')).toMatchObject({ deletion, versionsLeft: 2 });

      await catalog.change(request({ collections: [collection] }), () => ({
        ...nothing,
        collections: [{ ...collection, change: 'remove' }],
        result: undefined,
      }));
      expect(await catalog.collection('acme', 'walked')).toBeUndefined();
      expect(await catalog.createCollection(collectionOf('walked'))).toMatchObject({ generation: 2 });
    });
  });

  describe('sweeps', () => {
    const key = (id: string) => keyOf(id, 'swept', 'sweeps');
    const soon = async (): Promise<Date> => new Date((await catalogOf().now()).getTime() + 60_000);

    beforeAll(async () => {
      await catalogOf().createCollection(collectionOf('swept', { workspace: 'sweeps' }));
      await commit(catalogOf(), [
        { key: key('silent-1'), commands: [submitOf('a')] },
        { key: key('silent-2'), commands: [submitOf('b')] },
        {
          key: key('swapped'),
          commands: [submitOf('c'), ...indexedCommands(1), submitOf('d'), ...indexedCommands(2)],
        },
        {
          key: key('gone'),
          commands: [submitOf('e', { uploadId: 'gone' }), { kind: 'delete', operation: null, upTo: null }],
        },
      ]);
    });

    it('claim each silent version once', async () => {
      const before = await soon();
      const mine = (claimed: readonly { workspace: string; documentId: string }[]): string[] =>
        claimed.filter((each) => each.workspace === 'sweeps').map((each) => each.documentId);
      const looked = await catalogOf().claimSilent({ before, limit: 1_000, leaseMs: 0 });
      expect(mine(looked).sort()).toEqual(['silent-1', 'silent-2']);
      const claims = await Promise.all(
        [1, 2].map(() => catalogOf().claimSilent({ before, limit: 1_000, leaseMs: 60_000 })),
      );
      expect(mine(claims.flat()).sort()).toEqual(['silent-1', 'silent-2']);
      expect(claims.flat().find((each) => each.documentId === 'silent-1')).toMatchObject({ seq: 1, redrives: 0 });
      expect(await catalogOf().claimSilent({ before: new Date(0), limit: 10, leaseMs: 0 })).toEqual([]);
    });

    it('find superseded versions that are due, and purges that have not ended', async () => {
      const before = await soon();
      const here = <T extends { workspace: string }>(claimed: readonly T[]): T[] =>
        claimed.filter((each) => each.workspace === 'sweeps');
      const due = await catalogOf().claimPurgeDue({ before, limit: 1_000, leaseMs: 60_000 });
      expect(here(due)).toMatchObject([{ documentId: 'swapped', version: 1 }]);
      const unpurged = await catalogOf().claimUnpurged({ before, limit: 1_000, leaseMs: 60_000 });
      expect(here(unpurged)).toMatchObject([{ documentId: 'gone', versionHash: versionHash(key('gone'), 1) }]);
    });

    it('know which uploads a version refers to', async () => {
      const uploads = ['gone', 'upload-a', 'nobody'].map((uploadId) => ({ workspace: 'sweeps', uploadId }));
      expect(await catalogOf().referencedUploads(uploads)).toEqual(new Set(['sweeps/gone', 'sweeps/upload-a']));
      expect(await catalogOf().referencedUploads(uploads, [versionHash(key('gone'), 1)])).toEqual(
        new Set(['sweeps/upload-a']),
      );
      expect(await catalogOf().referencedUploads([{ workspace: 'other', uploadId: 'gone' }])).toEqual(new Set());
    });

    it('move the drain pass on, one mover at a time', async () => {
      const catalog = catalogOf();
      expect(await catalog.drainPass()).toBeUndefined();
      const started = await Promise.all([1, 2].map(() => catalog.moveDrainPass(undefined, { move: 'start' })));
      expect(started.filter((each) => each !== undefined)).toHaveLength(1);
      const pass = await catalog.drainPass();
      expect(pass).toMatchObject({ number: 1, step: 0, ends: null, ended: false, lastStartedAt: null });
      const noted = await catalog.moveDrainPass(pass, { move: 'note', ends: ['12', '0'] });
      expect(noted).toMatchObject({ ends: ['12', '0'] });
      expect(await catalog.moveDrainPass(pass, { move: 'note', ends: ['99'] })).toBeUndefined();
      const next = await catalog.moveDrainPass(noted, { move: 'next' });
      expect(next).toMatchObject({ step: 1, ends: null });
      expect(await catalog.moveDrainPass(noted, { move: 'next' })).toBeUndefined();
      const ended = await catalog.moveDrainPass(next, { move: 'end' });
      expect(ended).toMatchObject({ ended: true, lastStartedAt: pass?.startedAt });
      const again = await catalog.moveDrainPass(ended, { move: 'start' });
      expect(again).toMatchObject({ number: 2, step: 0, ended: false, lastStartedAt: pass?.startedAt });
    });

    it('know the workspaces, and forget old commands', async () => {
      expect(await catalogOf().workspaces()).toContain('sweeps');
      const id = uuidOf('to be forgotten');
      await catalogOf().change(request({ commands: [id] }), () => ({
        ...nothing,
        handled: [{ command: id, outputs: [] }],
        result: undefined,
      }));
      const handled = (): Promise<number> =>
        catalogOf().change(request({ commands: [id] }), (loaded) => ({ ...nothing, result: loaded.handled.size }));
      await catalogOf().prune(new Date(0), 100_000);
      expect(await handled()).toBe(1);
      await catalogOf().prune(await soon(), 100_000);
      expect(await handled()).toBe(0);
    });
  });
}
