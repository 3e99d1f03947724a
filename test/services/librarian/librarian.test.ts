import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../../../schema/topics.js';
import { versionHash } from '../../../services/domain/identity.js';
import { librarian } from '../../../services/librarian/librarian.js';
import { message, openStores, Workshop, type Stores } from './workshop.js';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
}, 180_000);
afterAll(() => stores.close());

let workshop: Workshop;
beforeEach(async () => {
  workshop = await Workshop.open(stores);
});

const kinds = (outputs: readonly { topic: { name: string } }[]): string[] => outputs.map(({ topic }) => topic.name);

describe('the librarian', () => {
  it('takes a document from submit to ready and answers its operation', async () => {
    const submit = await workshop.submit('d', 'hello', { source: 'file:///d.md', title: 'D', attributes: '{"a":1}' });
    await workshop.run([submit]);
    expect(await workshop.document('d')).toMatchObject({
      live: { version: 1, state: 'ready', title: 'D', attributes: { a: 1 }, source: 'file:///d.md' },
    });
    expect(await workshop.operation(submit)).toMatchObject({
      state: 'ready',
      version: 1,
      chunkCount: 1,
      kind: 'submit',
    });
    const events = workshop.outputs.filter(({ topic }) => topic === topics.documentEvents);
    expect(events.map(({ value }) => value)).toMatchObject([
      { seq: 1, newest: { state: 'pending' }, operation: { state: 'accepted' } },
      { newest: { state: 'processing' }, operation: null },
      { newest: { state: 'processing', chunks: 1 } },
      {
        newest: { state: 'ready' },
        live: { version: 1 },
        operation: { state: 'ready', operation_id: submit.headers['message-id'] },
      },
    ]);
  });

  it('gives a redelivered command its outputs again and changes nothing', async () => {
    const first = await workshop.submit('d', 'one');
    const second = await workshop.submit('d', 'two');
    await workshop.run([first]);
    await workshop.run([second]);
    await workshop.run([await workshop.submit('d', 'two')]);
    const before = await workshop.document('d');
    const blobs = await workshop.blobs();
    const everything = [...workshop.log];
    const outputs = [...workshop.outputs];
    workshop.outputs.length = 0;
    for (const delivery of everything) await workshop.batch([delivery]);
    expect(workshop.outputs).toEqual(outputs);
    expect(await workshop.document('d')).toEqual(before);
    expect(await workshop.blobs()).toEqual(blobs);
  });

  it('takes one command twice in one batch as one', async () => {
    const submit = await workshop.submit('d', 'one');
    const [a, b] = await workshop.batch([submit, submit]);
    expect(a).toEqual(b);
    expect(await workshop.document('d')).toMatchObject({ lastVersion: 1 });
  });

  it('keeps the message ids of two workspaces apart', async () => {
    const [rival, id] = [`rival-${randomUUID()}`, randomUUID()];
    await workshop.createCollection('handbook', { workspace: rival });
    const mine = message((await workshop.submit('d', 'one')).value, id);
    const theirs = message((await workshop.submit('d', 'one', { workspace: rival })).value, id);
    await workshop.batch([mine, theirs]);
    expect(await workshop.document('d')).toBeDefined();
    expect(await workshop.catalog.document(workshop.key('d', 'handbook', rival))).toBeDefined();
  });

  it('lets a command that cannot be read fail alone and holds the later ones of its key', async () => {
    const outcomes = await workshop.batch([
      workshop.command({ kind: 'decoded', document_id: 'bad', version: 1 }),
      await workshop.submit('bad', 'x'),
      await workshop.submit('good', 'x'),
      workshop.command({ kind: 'teleport', document_id: 'odd' }),
    ]);
    expect(outcomes).toMatchObject([
      { error: { code: 'invalid-argument' } },
      'held',
      { outputs: [{}, {}] },
      { error: { code: 'newer-release' } },
    ]);
    expect(await workshop.document('bad')).toBeUndefined();
    expect(await workshop.document('good')).toBeDefined();
  });

  it('fails the operation of a submit that makes no sense, and drops its upload', async () => {
    const submit = await workshop.submit('d', 'x', { attributes: '{"a":{"b":1}}' });
    await workshop.run([submit]);
    expect(await workshop.operation(submit)).toMatchObject({
      state: 'failed',
      code: 'invalid-argument',
    });
    expect(await workshop.blobs()).toEqual([]);
  });

  it('ends the operation of a submit that became a dead letter, and keeps its bytes for a replay', async () => {
    const submit = await workshop.submit('d', 'x');
    const letters = librarian.onDeadLetter?.(submit, new Error('bug')) ?? [];
    expect(letters).toHaveLength(1);
    await workshop.run(letters.map(({ value }) => message(value as never)));
    expect(await workshop.operation(submit)).toMatchObject({
      state: 'failed',
      code: 'internal',
      reason: 'bug',
    });
    expect(await workshop.blobs()).toHaveLength(1);
  });

  it('strips what a database cannot hold', async () => {
    await workshop.run([
      await workshop.submit('d', 'x', { title: 'a\0b\ud800c', attributes: '{"k\\u0000":"v\\u0000\\ud800"}' }),
    ]);
    expect(await workshop.document('d')).toMatchObject({
      live: { title: 'ab\ufffdc', attributes: { k: 'v\ufffd' } },
    });
  });

  it('ignores what is said of a version by another hash', async () => {
    await workshop.batch([await workshop.submit('d', 'x')]);
    const foreign = workshop.command({
      kind: 'failed',
      document_id: 'd',
      version: 1,
      version_hash: versionHash(workshop.key('e'), 1),
    });
    expect(await workshop.batch([foreign])).toEqual([{ outputs: [] }]);
    expect(await workshop.document('d')).toMatchObject({ newest: { state: 'pending' } });
  });

  it.each([
    ['a collection that does not exist', 'nowhere', 'collection-not-found'],
    ['a read-only collection', 'frozen', 'collection-read-only'],
  ])('refuses a submit into %s', async (_, collection, code) => {
    await workshop.createCollection('frozen', { chunkerSpec: null });
    const submit = await workshop.submit('d', 'x', { collection });
    await workshop.run([submit]);
    expect(await workshop.operation(submit)).toMatchObject({ state: 'refused', code });
    expect(workshop.outputs.map(({ value }) => value)).toMatchObject([
      { seq: 0, operation: { state: 'refused', code } },
    ]);
    expect(await workshop.blobs()).toEqual([]);
  });
});

describe('uploads', () => {
  it('that are not needed are dropped, those of versions are kept', async () => {
    const first = await workshop.submit('d', 'one');
    await workshop.run([first]);
    const again = await workshop.submit('d', 'one');
    await workshop.run([again]);
    expect(await workshop.operation(again)).toMatchObject({ state: 'unchanged' });
    expect(await workshop.blobs()).toEqual(workshop.blobsOf(workshop.key('d'), 1, first.value.upload_id ?? ''));
  });

  it('go with the last row that refers to them', async () => {
    const shared = await workshop.submit('d', 'one');
    const twin = message({ ...shared.value, document_id: 'twin' });
    await workshop.run([shared, twin]);
    const remove = (id: string) => workshop.command({ kind: 'delete', document_id: id });
    await workshop.run([remove('d')]);
    expect(await workshop.blobs()).toEqual(workshop.blobsOf(workshop.key('twin'), 1, shared.value.upload_id ?? ''));
    await workshop.run([remove('twin')]);
    expect(await workshop.blobs()).toEqual([]);
  });
});

describe('a delete', () => {
  const remove = (id: string) => workshop.command({ kind: 'delete', document_id: id });

  it('leaves nothing but the tombstone, and ends when that is so', async () => {
    await workshop.run([await workshop.submit('d', 'one')]);
    await workshop.run([await workshop.submit('d', 'two')]);
    const deletion = remove('d');
    const [outcome] = await workshop.batch([deletion]);
    expect(await workshop.document('d')).toBeUndefined();
    expect(await workshop.operation(deletion)).toBeUndefined();
    if (outcome === undefined || outcome === 'held' || 'error' in outcome) throw new Error('the delete failed');
    expect(kinds(outcome.outputs)).toEqual(['purges', 'purges', 'document-events']);
    await workshop.run([deletion]);
    expect(await workshop.operation(deletion)).toMatchObject({ state: 'deleted' });
    expect([await workshop.blobs(), workshop.points.size]).toEqual([[], 0]);
  });

  it('followed by another text and a replay of everything leaves the new text alone', async () => {
    const old = await workshop.submit('d', 'old');
    await workshop.run([old]);
    await workshop.run([remove('d')]);
    const next = await workshop.submit('d', 'new');
    await workshop.run([next]);
    const standing = await workshop.document('d');
    expect(standing).toMatchObject({ live: { version: 2 } });
    const blobs = await workshop.blobs();
    // The same messages, and the same again under ids that nobody remembers, as after a long time.
    for (const delivery of [...workshop.log]) await workshop.batch([delivery]);
    const stages = workshop.log.filter(({ value }) => value.kind !== 'submit' && value.kind !== 'delete');
    for (const { value } of stages) await workshop.batch([message(value)]);
    expect(await workshop.document('d')).toMatchObject({ live: { version: 2, state: 'ready' } });
    expect(await workshop.blobs()).toEqual(blobs);
    expect([...workshop.points]).toEqual([versionHash(workshop.key('d'), 2)]);
  });

  it('of one workspace or collection touches no other’s document of the same id', async () => {
    const rival = `rival-${randomUUID()}`;
    await workshop.createCollection('papers');
    await workshop.createCollection('handbook', { workspace: rival });
    const submits = [
      await workshop.submit('d', 'x'),
      await workshop.submit('d', 'x', { collection: 'papers' }),
      await workshop.submit('d', 'x', { workspace: rival }),
    ];
    await workshop.run(submits);
    await workshop.run([remove('d')]);
    expect(await workshop.document('d')).toBeUndefined();
    expect(await workshop.catalog.document(workshop.key('d', 'papers'))).toMatchObject({ live: { version: 1 } });
    expect(await workshop.catalog.document(workshop.key('d', 'handbook', rival))).toMatchObject({
      live: { version: 1 },
    });
    expect(workshop.points.size).toBe(2);
  });

  it('of a whole collection goes on page by page, refuses submits, and ends with its row', async () => {
    await workshop.createCollection('papers');
    await workshop.createCollection('papers_old');
    // One more than a page holds; all of them from one upload, which is empty.
    const shared = await workshop.submit('d0', '', { collection: 'papers' });
    const submits = Array.from({ length: 501 }, (_, index) =>
      workshop.command({ ...shared.value, document_id: `d${index}` }),
    );
    await workshop.run(submits);
    await workshop.run([await workshop.submit('d', 'x', { collection: 'papers_old' })]);
    const deletion = workshop.command({ kind: 'delete-collection', collection: 'papers' });
    await workshop.batch([deletion]);
    expect(await workshop.catalog.collection(workshop.workspace, 'papers')).toMatchObject({ state: 'deleting' });
    const late = await workshop.submit('late', 'x', { collection: 'papers' });
    await workshop.run([late]);
    expect(await workshop.operation(late)).toMatchObject({ code: 'collection-deleting' });
    await workshop.run([deletion]);
    expect(await workshop.catalog.collection(workshop.workspace, 'papers')).toBeUndefined();
    expect(await workshop.operation(deletion)).toMatchObject({ state: 'deleted' });
    expect((await workshop.catalog.statistics(workshop.workspace, 'papers_old')).documents.ready).toBe(1);
    expect((await workshop.blobs()).filter((key) => key.includes('/sources/'))).toHaveLength(1);
    expect(await workshop.createCollection('papers')).toMatchObject({ generation: 2 });
    await workshop.run([await workshop.submit('d7', 'x', { collection: 'papers' })]);
    expect(await workshop.catalog.document(workshop.key('d7', 'papers'))).toMatchObject({ live: { version: 2 } });
  });

  it('of an empty or absent collection ends at once', async () => {
    await workshop.createCollection('empty');
    const deletions = ['empty', 'absent'].map((collection) =>
      workshop.command({ kind: 'delete-collection', collection }),
    );
    await workshop.run(deletions);
    for (const { headers } of deletions) {
      expect(await workshop.catalog.operation(headers['message-id'])).toMatchObject({ state: 'deleted' });
    }
    expect(await workshop.catalog.collection(workshop.workspace, 'empty')).toBeUndefined();
  });
});

it('lets the last of 50 writers on 10 documents win, and nothing of the others remains', async () => {
  const last = new Map<string, string>();
  const submits = [];
  for (let index = 0; index < 500; index++) {
    const [id, content] = [`d${index % 10}`, `content ${index % 7} ${Math.floor(index / 50)}`];
    last.set(id, content);
    submits.push(await workshop.submit(id, content));
  }
  await workshop.run(submits);
  const due = await workshop.catalog.claimPurgeDue({
    before: new Date(Date.now() + 60_000),
    limit: 10_000,
    leaseMs: 1,
  });
  await workshop.run(
    due
      .filter(({ workspace }) => workspace === workshop.workspace)
      .map(({ documentId, version }) => workshop.command({ kind: 'purge-due', document_id: documentId, version })),
  );
  const { items } = await workshop.catalog.documents({ workspace: workshop.workspace, limit: 100 });
  expect(items).toHaveLength(10);
  const uploads = new Map(submits.map(({ value }) => [value.upload_id, value]));
  for (const { live, newest, documentId } of items) {
    expect(live).toEqual(newest);
    const submit = uploads.get(live?.uploadId ?? '');
    const [digest] = submits.filter(({ value }) => value.document_id === documentId).slice(-1);
    expect(submit?.content_hash).toBe(digest?.value.content_hash);
  }
  expect(workshop.points.size).toBe(10);
  expect(await workshop.blobs()).toHaveLength(40);
  for (const { headers } of submits) {
    expect((await workshop.catalog.operation(headers['message-id']))?.state).not.toBe('accepted');
  }
});
