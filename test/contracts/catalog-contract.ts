import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentKeyString, uuidOf, versionHash } from '../../services/domain/identity.js';
import { snapshot } from '../../services/domain/documents/snapshot.js';
import { describeLibrarianStoreContract } from './librarian-store-contract.js';
import { collectionOf, commit, indexedCommands, keyOf, submitOf, type FullCatalog } from './catalog-fixture.js';

/** What every catalog does. `open` gives an empty one. */
export function describeCatalogContract(name: string, open: () => Promise<FullCatalog>): void {
  describe(`catalog contract: ${name}`, () => {
    let catalog: FullCatalog;

    beforeAll(async () => {
      catalog = await open();
      await catalog.createCollection(collectionOf('handbook'));
    }, 180_000);
    afterAll(() => catalog.close());

    describe('collections', () => {
      it('are created once, listed in byte order and read back as given', async () => {
        const made = await catalog.createCollection(
          collectionOf('zoo', { workspace: 'w1', name: 'Zoo', metadata: { a: [1, 'x'] } }),
        );
        expect(made).toMatchObject({
          id: 'zoo',
          name: 'Zoo',
          metadata: { a: [1, 'x'] },
          state: 'active',
          generation: 1,
        });
        expect(made).toMatchObject({ space: { id: 's', model: 'm', dimensions: 3 }, targetSpace: null });
        await catalog.createCollection(collectionOf('z-oo', { workspace: 'w1' }));
        expect((await catalog.collections('w1')).map((each) => each.id)).toEqual(['z-oo', 'zoo']);
        expect(await catalog.collection('w1', 'zoo')).toEqual(made);
        expect(await catalog.collection('w2', 'zoo')).toBeUndefined();
        await expect(catalog.createCollection(collectionOf('zoo', { workspace: 'w1' }))).rejects.toMatchObject({
          code: 'collection-exists',
        });
      });

      it('of which one only is made when two are created at once', async () => {
        const tries = await Promise.allSettled(
          Array.from({ length: 4 }, () => catalog.createCollection(collectionOf('race', { workspace: 'w3' }))),
        );
        expect(tries.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
        expect(await catalog.collection('w3', 'race')).toMatchObject({ generation: 1 });
      });

      it('change name, description and metadata, and leave what is absent', async () => {
        await catalog.createCollection(collectionOf('change', { metadata: { a: 1 }, description: 'old' }));
        expect(await catalog.updateCollection('acme', 'change', { name: 'New' })).toMatchObject({
          name: 'New',
          description: 'old',
          metadata: { a: 1 },
        });
        expect(await catalog.updateCollection('acme', 'change', { metadata: {} })).toMatchObject({ metadata: {} });
        await expect(catalog.updateCollection('acme', 'nowhere', { name: 'x' })).rejects.toMatchObject({
          code: 'collection-not-found',
        });
      });
    });

    describe('documents and versions', () => {
      it('are read with what the caller gave over what the document says', async () => {
        const key = keyOf('one');
        await commit(catalog, [
          {
            key,
            commands: [
              submitOf('v1', {
                title: 'Mine',
                source: 'file:///one.md',
                tags: ['a', 'b'],
                attributes: { front: false, years: [1, 2] },
                fileTime: 1_700_000_000_123,
              }),
              ...indexedCommands(1),
            ],
          },
        ]);
        const hash = versionHash(key, 1);
        const versions = await catalog.versions([hash, 'f'.repeat(64)]);
        expect([...versions.keys()]).toEqual([hash]);
        expect(versions.get(hash)).toMatchObject({
          ...key,
          version: 1,
          state: 'ready',
          title: 'Mine',
          source: 'file:///one.md',
          tags: ['a', 'b'],
          attributes: { front: false, years: [1, 2] },
          attributeRevision: 1,
          fileTime: new Date(1_700_000_000_123),
          contentType: 'text/plain',
          textSha256: 'text-1',
          packs: 1,
          chunks: 64,
          spaces: [{ id: 's', model: 'm', dimensions: 3 }],
          lexical: { version: 1, language: 'english' },
          purgeBegun: false,
          supersededAt: null,
        });
        const document = await catalog.document(key);
        expect(document).toMatchObject({ ...key, lastVersion: 1, live: { version: 1 }, newest: { version: 1 } });
        expect(document?.live).toEqual(versions.get(hash));
      });

      it('answer many readers at once', async () => {
        const key = keyOf('one');
        const answers = await Promise.all([
          ...Array.from({ length: 50 }, () => catalog.versions([versionHash(key, 1)])),
          ...Array.from({ length: 50 }, (_, index) => catalog.versions([versionHash(key, index + 2)])),
        ]);
        expect(answers.map((answer) => answer.size)).toEqual(
          Array.from({ length: 100 }, (_, index) => (index < 50 ? 1 : 0)),
        );
      });

      it('show one live version at any time', async () => {
        const key = keyOf('swapped');
        await commit(catalog, [{ key, commands: [submitOf('v1'), ...indexedCommands(1)] }]);
        const before = await catalog.now();
        await expect.poll(async () => (await catalog.now()) > before).toBe(true);
        await commit(catalog, [{ key, commands: [submitOf('v2'), ...indexedCommands(2)] }]);
        const after = await catalog.now();
        const at = async (t0: Date): Promise<number | undefined> =>
          (await catalog.liveAt([key, keyOf('nowhere')], t0)).get(documentKeyString(key))?.version;
        expect(await at(before)).toBe(1);
        expect(await at(after)).toBe(2);
        expect(await at(new Date(0))).toBeUndefined();
        const many = await Promise.all([at(before), at(after), at(before), at(new Date(0))]);
        expect(many).toEqual([1, 2, 1, undefined]);
        expect(await catalog.document(key)).toMatchObject({ live: { version: 2 }, newest: { version: 2 } });
      });

      it('show nothing of a deleted document, at no time', async () => {
        const key = keyOf('deleted');
        await commit(catalog, [{ key, commands: [submitOf('v1'), ...indexedCommands(1)] }]);
        const t0 = await catalog.now();
        await commit(catalog, [{ key, commands: [{ kind: 'delete', operation: 'd', upTo: null }] }]);
        expect(await catalog.liveAt([key], t0)).toEqual(new Map());
        expect(await catalog.document(key)).toBeUndefined();
        expect((await catalog.versions([versionHash(key, 1)])).get(versionHash(key, 1))).toMatchObject({
          state: 'deleting',
          purgeBegun: true,
        });
        await commit(catalog, [{ key, commands: [{ kind: 'purged', version: 1 }] }]);
        expect(await catalog.versions([versionHash(key, 1)])).toEqual(new Map());
        await commit(catalog, [{ key, commands: [submitOf('v1')] }]);
        expect(await catalog.document(key)).toMatchObject({ lastVersion: 2, live: null, newest: { version: 2 } });
      });

      it('of one id in two collections and two workspaces are four documents', async () => {
        await catalog.createCollection(collectionOf('other'));
        await catalog.createCollection(collectionOf('handbook', { workspace: 'rival' }));
        await catalog.createCollection(collectionOf('other', { workspace: 'rival' }));
        const keys = ['acme', 'rival'].flatMap((workspace) =>
          ['handbook', 'other'].map((collection) => keyOf('same', collection, workspace)),
        );
        await commit(
          catalog,
          keys.map((key) => ({ key, commands: [submitOf('v1'), ...indexedCommands(1)] })),
        );
        const [first] = keys;
        if (first === undefined) throw new Error('no keys');
        await commit(catalog, [{ key: first, commands: [{ kind: 'delete', operation: 'd', upTo: null }] }]);
        const there = await Promise.all(keys.map(async (key) => (await catalog.document(key)) !== undefined));
        expect(there).toEqual([false, true, true, true]);
      });
    });

    describe('listings', () => {
      const ids = ['z', 'A', 'a', 'ä', '10', '2', 'a/b', '😀', '\uffee'];
      const sorted = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

      beforeAll(async () => {
        for (const collection of ['list-a', 'list-b']) {
          await catalog.createCollection(collectionOf(collection, { workspace: 'lists' }));
          await commit(
            catalog,
            ids.map((id) => ({
              key: keyOf(id, collection, 'lists'),
              commands: [
                submitOf(`content of ${id}`, { source: `file:///${id}`, tags: id === 'a' ? ['red'] : [] }),
                ...(id === 'z' ? [] : indexedCommands(1)),
              ],
            })),
          );
        }
      });

      it('come in byte order, page by page, each document once', async () => {
        const seen: string[] = [];
        let after: string | undefined;
        do {
          const page = await catalog.documents({
            workspace: 'lists',
            collection: 'list-a',
            limit: 4,
            ...(after === undefined ? {} : { after }),
          });
          expect(page.items.length).toBeLessThanOrEqual(4);
          seen.push(...page.items.map((document) => document.documentId));
          after = page.next ?? undefined;
        } while (after !== undefined);
        expect(seen).toEqual(sorted);
      });

      it('cover a workspace when no collection is named', async () => {
        const { items, next } = await catalog.documents({ workspace: 'lists', limit: 100 });
        expect(items.map((document) => document.collection)).toEqual([
          ...ids.map(() => 'list-a'),
          ...ids.map(() => 'list-b'),
        ]);
        expect(next).toBeNull();
      });

      it('are narrowed by state, source and tag', async () => {
        const found = async (query: object): Promise<string[]> =>
          (await catalog.documents({ workspace: 'lists', collection: 'list-a', limit: 100, ...query })).items.map(
            (document) => document.documentId,
          );
        expect(await found({ state: 'pending' })).toEqual(['z']);
        expect(await found({ state: 'ready' })).toHaveLength(ids.length - 1);
        expect(await found({ source: 'file:///ä' })).toEqual(['ä']);
        expect(await found({ tag: 'red' })).toEqual(['a']);
        expect(await found({ tag: 'red', state: 'pending' })).toEqual([]);
      });

      it('refuse a cursor that is none', async () => {
        await expect(catalog.documents({ workspace: 'lists', limit: 1, after: 'nonsense' })).rejects.toMatchObject({
          code: 'invalid-argument',
        });
      });

      it('are counted, measured and hashed', async () => {
        const statistics = await catalog.statistics('lists', 'list-a');
        const live = ids.filter((id) => id !== 'z');
        expect(statistics).toMatchObject({
          documents: { pending: 1, processing: 0, ready: live.length, failed: 0 },
          chunks: live.length * 64,
          bytes: live.reduce((sum, id) => sum + Buffer.byteLength(`content of ${id}`), 0),
        });
        expect(statistics.lastIngest).toBeInstanceOf(Date);
        expect(statistics.snapshot).toBe(
          snapshot(live.map((id) => ({ uri: `file:///${id}`, contentHash: `content of ${id}` }))),
        );
        expect((await catalog.statistics('lists', 'nowhere')).snapshot).toBe(snapshot([]));
      });

      it('know the distinct values of an attribute', async () => {
        await catalog.createCollection(collectionOf('values'));
        await commit(
          catalog,
          [1, 'one', true, ['x', 2], 1].map((value, index) => ({
            key: keyOf(`v${index}`, 'values'),
            commands: [submitOf(`${index}`, { attributes: { kind: value } })],
          })),
        );
        expect(new Set(await catalog.attributeValues('acme', 'values', 'kind', 10))).toEqual(
          new Set([1, 'one', true, ['x', 2]]),
        );
        expect(await catalog.attributeValues('acme', 'values', 'kind', 2)).toHaveLength(3);
        expect(await catalog.attributeValues('acme', 'values', 'absent', 2)).toEqual([]);
      });
    });

    describe('operations', () => {
      it('stand as they were noted first', async () => {
        const operation = { ...keyOf('op'), id: uuidOf('operation'), kind: 'submit' };
        const made = await catalog.createOperation(operation);
        expect(made).toMatchObject({ ...operation, state: 'accepted', version: null, unchanged: false });
        expect(await catalog.createOperation({ ...operation, documentId: 'else' })).toEqual(made);
        expect(await catalog.operation(operation.id)).toEqual(made);
        expect(await catalog.operation('unknown')).toBeUndefined();
      });

      it('are many at a time', async () => {
        const made = await Promise.all(
          Array.from({ length: 200 }, (_, index) =>
            catalog.createOperation({ ...keyOf(`many-${index}`), id: `many-${index}`, kind: 'submit' }),
          ),
        );
        expect(made.map((each) => each.documentId)).toEqual(made.map((_, index) => `many-${index}`));
      });

      it('are not shown to another workspace', async () => {
        await catalog.createOperation({ ...keyOf('x'), id: 'shared-id', kind: 'submit' });
        await expect(
          catalog.createOperation({ ...keyOf('x', 'handbook', 'rival'), id: 'shared-id', kind: 'submit' }),
        ).rejects.toMatchObject({ code: 'invalid-argument' });
      });

      it('take what became of them', async () => {
        const key = keyOf('outcome');
        await catalog.createOperation({ ...key, id: 'op-outcome', kind: 'submit' });
        await commit(catalog, [{ key, commands: [submitOf('x', { operation: 'op-outcome' }), ...indexedCommands(1)] }]);
        expect(await catalog.operation('op-outcome')).toMatchObject({ state: 'ready', version: 1, chunkCount: 64 });
        await commit(catalog, [{ key, commands: [submitOf('x', { operation: 'op-second' })] }]);
        expect(await catalog.latestOperation(key)).toMatchObject({
          id: 'op-second',
          state: 'unchanged',
          unchanged: true,
        });
        expect(await catalog.latestOperation(keyOf('never'))).toBeUndefined();
      });
    });

    describe('the delivery ledger', () => {
      it('counts starts at one offset, and deaths with a message in hand, and forgets them at another', async () => {
        const at = (offset: bigint) => [
          { topic: 't', partition: 0, offset },
          { topic: 't', partition: 1, offset: 7n },
        ];
        expect(await catalog.raiseStarts('g', at(5n))).toEqual([
          { starts: 1, suspect: null, deaths: 0 },
          { starts: 1, suspect: null, deaths: 0 },
        ]);
        await catalog.noteSuspect('g', 't', 0, 5n);
        expect(await catalog.raiseStarts('g', at(5n))).toEqual([
          { starts: 2, suspect: 5n, deaths: 1 },
          { starts: 2, suspect: null, deaths: 0 },
        ]);
        await catalog.noteSuspect('g', 't', 0, 5n);
        await catalog.releaseSuspect('g', 't', 0);
        expect(await catalog.raiseStarts('g', at(5n))).toMatchObject([{ starts: 3, suspect: 5n, deaths: 1 }, {}]);
        await catalog.noteSuspect('g', 't', 0, 8n);
        expect(await catalog.raiseStarts('g', at(5n))).toMatchObject([{ starts: 4, suspect: 8n, deaths: 1 }, {}]);
        expect(await catalog.raiseStarts('g', at(6n))).toEqual([
          { starts: 1, suspect: null, deaths: 0 },
          { starts: 5, suspect: null, deaths: 0 },
        ]);
        expect(await catalog.raiseStarts('other', at(6n))).toMatchObject([{ starts: 1 }, { starts: 1 }]);
        await catalog.clearStarts('g');
        expect(await catalog.raiseStarts('g', at(6n))).toMatchObject([{ starts: 1 }, { starts: 1 }]);
      });
    });

    it('has one installation id', async () => {
      expect(await catalog.installationId()).toMatch(/^[0-9a-f-]{36}$/);
    });

    describeLibrarianStoreContract(() => catalog);
  });
}
