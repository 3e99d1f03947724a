import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SluiceClient } from '../../gateway/client/client.js';
import { singleObjectCodec } from '../../schema/single-object.js';
import { topics } from '../../schema/topics.js';
import { SluiceError, type ErrorCode } from '../../services/domain/errors.js';
import { versionHash, type DocumentKey } from '../../services/domain/identity.js';
import { blobKeys } from '../../services/ports/blob-store/keys.js';
import type { BusRecord } from '../../services/ports/bus/port.js';
import { deadLetter, deadLetterTopic } from '../../services/runtime/delivery/dead-letter.js';
import { encodeOutput } from '../../services/runtime/delivery/publisher.js';
import { output, type Output } from '../../services/runtime/processor.js';
import { collectionOf, commit, indexedCommands, keyOf, submitOf } from '../contracts/catalog-fixture.js';
import { openTestBed, type TestBed } from './gateway-fixture.js';

const codec = singleObjectCodec();
let bed: TestBed;
let clients: SluiceClient[] = [];
let workspaces = 0;
/** Of each test its own, so that all can share the engines. */
let workspace: string;
let key: DocumentKey;
let hash: string;

beforeAll(async () => {
  bed = await openTestBed();
  await codec.prepare();
  await bed.ports.bus.ensureTopics(
    [
      deadLetterTopic('documents-accepted', 'decoder'),
      deadLetterTopic('document-commands', 'librarian'),
      deadLetterTopic('purges', 'purger'),
    ].map((name) => ({ name, class: 'log', partitions: 2, retentionMs: 3_600_000 })),
  );
}, 120_000);
afterAll(() => bed.close());
beforeEach(async () => {
  workspace = `w${++workspaces}`;
  key = keyOf('d1', 'handbook', workspace);
  hash = versionHash(key, 1);
  await bed.ports.catalog.createCollection(collectionOf('handbook', { workspace }));
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const client of clients) await client.close();
  clients = [];
});

async function clientOf(of = workspace): Promise<SluiceClient> {
  const gateway = await bed.gateway();
  const { url } = await gateway.listen();
  const client = new SluiceClient({ url, workspace: of, maxRetries: 0 });
  clients.push(client);
  return client;
}

let offsets = 0n;

/** What a processor writes when it gives a message up. */
async function bury(
  processor: string,
  message: Pick<BusRecord, 'topic' | 'key' | 'value' | 'headers'>,
  given: { readonly offset?: bigint; readonly code?: ErrorCode; readonly reason?: string } = {},
): Promise<string> {
  const { offset = offsets++, code = 'internal', reason = 'it did not work' } = given;
  const record = { ...message, partition: 1, offset, timestamp: Date.now() };
  const thrown = new SluiceError(code, reason);
  await bed.ports.bus.publish([deadLetter(record, { processor, thrown, attempts: 5 })]);
  return `${message.topic}.${processor}:1:${offset}`;
}

const messageOf = (given: Output, id: string, of = workspace) =>
  encodeOutput(codec, given, { 'message-id': id, workspace: of, ...given.headers });

const accepted = () =>
  output(topics.documentsAccepted, {
    ...{ workspace, collection: 'handbook', document_id: 'd1', version: 1, version_hash: hash },
    ...{ upload_id: 'u', content_type: null, source: null },
  });
const submitted = (documentId = 'd1') =>
  output(topics.documentCommands, {
    ...{ kind: 'submit', workspace, collection: 'handbook', document_id: documentId },
    ...{ upload_id: 'upload-1', content_hash: 'a', size_bytes: 1 },
  });

/** Everything that comes on document-commands from now on. */
async function commands() {
  const heard: { kind: string; id: string | undefined }[] = [];
  const mine = workspace;
  await bed.hear(topics.documentCommands, ({ value, headers }) => {
    if (value.workspace === mine) heard.push({ kind: value.kind, id: headers['message-id'] });
  });
  return heard;
}

const ids = async (client: SluiceClient, state: 'open' | 'all' = 'open') => {
  const found: string[] = [];
  for await (const { letter_id } of client.deadLetters({ state, limit: 2 })) found.push(letter_id);
  return found;
};
const stateOf = async (client: SluiceClient, letter: string) => (await client.deadLetter(letter)).state;
const failedVersion = () =>
  commit(bed.ports.catalog, [
    {
      key,
      commands: [
        submitOf('a', { operation: `s-${workspace}` }),
        { kind: 'failed', version: 1, stage: 'decoder', code: 'internal', reason: 'torn' },
      ],
    },
  ]);

describe('dead letters', () => {
  it('are listed once each, the last to fail first, in pages, and counted', async () => {
    const client = await clientOf();
    const letters: string[] = [];
    for (let n = 0; n < 5; n++) letters.push(await bury('librarian', messageOf(submitted(`d${n}`), `m${n}`)));
    // A processor that died between the letter and its offset writes it again.
    await bury('librarian', messageOf(submitted('d0'), 'm0'), { offset: offsets - 5n });
    expect((await ids(client)).sort()).toEqual([...letters].sort());
    expect((await client.status()).dead_letters).toBe(5);
    const times: string[] = [];
    for await (const { failed_at } of client.deadLetters({ limit: 2 })) times.push(failed_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('show what failed, with the version that failed with it', async () => {
    const client = await clientOf();
    await failedVersion();
    const message = messageOf(accepted(), 'm');
    const letter = await bury('decoder', message, { code: 'invalid-document', reason: 'torn' });
    const shown = await client.deadLetter(letter);
    expect(shown).toMatchObject({
      ...{ letter_id: letter, state: 'open', topic: 'documents-accepted', processor: 'decoder', attempts: 5 },
      ...{ code: 'invalid-document', reason: 'torn', collection: 'handbook', document_id: 'd1' },
      version: { version: 1, state: 'failed', stage: 'decoder', reason: 'torn' },
      headers: { 'message-id': 'm', workspace },
      message: { document_id: 'd1', upload_id: 'u' },
    });
    expect(Buffer.from(shown.value_base64, 'base64')).toEqual(message.value);
  });

  it.each([
    ['random bytes', randomBytes(300)],
    ['half a message', Buffer.from([0xc3, 1, 2, 3, 4, 5, 6, 7, 8, 9])],
    ['nothing', Buffer.alloc(0)],
  ])('show the bytes of %s as they came, and the reason', async (_, value) => {
    const client = await clientOf();
    const letter = await bury(
      'purger',
      { topic: 'purges', key: 'k', value, headers: { workspace } },
      { code: 'undecodable', reason: 'the message cannot be read' },
    );
    const shown = await client.deadLetter(letter);
    expect(Buffer.from(shown.value_base64, 'base64')).toEqual(value);
    expect(shown).toMatchObject({ code: 'undecodable', reason: 'the message cannot be read', message: null, key: 'k' });
    expect(shown.stack).toContain('the message cannot be read');
  });

  it('are replayed as they were: bytes, key and headers', async () => {
    const client = await clientOf();
    const message = messageOf(output(topics.purges, purgeValue()), 'm');
    const letter = await bury('purger', { ...message, headers: { ...message.headers, own: 'x' } });
    expect(await client.replayDeadLetter(letter)).toMatchObject({ state: 'replayed', operation_id: null });
    const sent = async () => {
      const records: BusRecord[] = [];
      for await (const record of bed.ports.bus.read('purges')) records.push(record);
      return records.filter(({ headers }) => headers['workspace'] === workspace);
    };
    const [again] = await sent();
    expect(await sent()).toMatchObject([{ key: message.key, value: message.value }]);
    expect(again?.headers).toEqual({ 'message-id': 'm', workspace, own: 'x', attempt: '5' });
    expect(await ids(client)).toEqual([]);
    expect(await stateOf(client, letter)).toBe('replayed');
    expect((await client.status()).dead_letters).toBe(0);
    expect(await client.replayDeadLetter(letter)).toMatchObject({ state: 'replayed' });
    expect(await sent()).toHaveLength(1);
  });

  it('of a stage become one retry of their version, whoever asks and however often', async () => {
    const [one, two] = [await clientOf(), await clientOf()];
    await failedVersion();
    const heard = await commands();
    const letter = await bury('decoder', messageOf(accepted(), 'm'));
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? one : two).replayDeadLetter(letter)),
    );
    for (const tried of tries) {
      if (tried.status === 'rejected') expect(tried.reason).toMatchObject({ code: 'unavailable' });
      else expect(tried.value.state).toBe('replayed');
    }
    const again = await two.replayDeadLetter(letter);
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    expect(heard[0]).toMatchObject({ kind: 'retry', id: again.operation_id });
    expect(await one.operation(again.operation_id ?? '')).toMatchObject({ kind: 'retry', document_id: 'd1' });
  });

  it('are taken up again when whoever replayed one died between sending and marking', async () => {
    const client = await clientOf();
    await failedVersion();
    const heard = await commands();
    const letter = await bury('decoder', messageOf(accepted(), 'm'));
    const mark = vi
      .spyOn(bed.ports.catalog, 'markLetter')
      .mockRejectedValueOnce(new SluiceError('unavailable', 'dead'));
    const claim = vi.spyOn(bed.ports.catalog, 'claimLetter');
    await expect(client.replayDeadLetter(letter)).rejects.toMatchObject({ code: 'unavailable' });
    expect(mark).toHaveBeenCalledOnce();
    expect(await stateOf(client, letter)).toBe('replaying');
    expect(await ids(client)).toEqual([letter]);
    claim.mockResolvedValueOnce(true); // the lease is over
    const { operation_id } = await client.replayDeadLetter(letter);
    await vi.waitFor(() => expect(heard).toHaveLength(2));
    expect(heard.map(({ id }) => id)).toEqual([operation_id, operation_id]);
    expect(await stateOf(client, letter)).toBe('replayed');
  });

  it.each([
    ['is superseded', [submitOf('b', { operation: 'o' }), ...indexedCommands(2)]],
    ['became ready since', [{ kind: 'retry', operation: 'r', version: 1 } as const, ...indexedCommands(1)]],
    ['is deleted', [{ kind: 'delete', operation: 'x', upTo: null } as const]],
    ['is gone', [{ kind: 'delete', operation: 'x', upTo: null } as const, { kind: 'purged', version: 1 } as const]],
  ])('of a version that %s are settled, and nobody has to look', async (_, then) => {
    const client = await clientOf();
    await failedVersion();
    const letter = await bury('decoder', messageOf(accepted(), 'm'));
    expect(await ids(client)).toEqual([letter]);
    await commit(bed.ports.catalog, [{ key, commands: then }]);
    expect(await ids(client)).toEqual([]);
    expect((await client.status()).dead_letters).toBe(0);
    expect(await ids(client, 'all')).toEqual([letter]);
    expect(await stateOf(client, letter)).toBe('settled');
  });

  it('of a submit are submitted again, as another operation', async () => {
    const client = await clientOf();
    const heard = await commands();
    await bed.ports.catalog.createOperation({ ...key, id: `m-${workspace}`, kind: 'submit' });
    await bed.ports.blobStore.put(blobKeys.source(workspace, 'upload-1'), Buffer.from('x'));
    const letter = await bury('librarian', messageOf(submitted(), `m-${workspace}`));
    const { operation_id, state } = await client.replayDeadLetter(letter);
    expect(state).toBe('replayed');
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    expect(operation_id).not.toBe(`m-${workspace}`);
    expect(heard[0]).toMatchObject({ kind: 'submit', id: operation_id });
  });

  it.each([
    ['a newer submit', () => bed.ports.catalog.createOperation({ ...key, id: `n-${workspace}`, kind: 'submit' })],
    ['a deletion', () => bed.ports.catalog.createOperation({ ...key, id: `n-${workspace}`, kind: 'delete' })],
    [
      'the collection made anew',
      async () => {
        await bed.ports.librarianStore.change(
          {
            ...{ documents: [], collections: [{ workspace, collection: 'handbook' }], commands: [] },
            ...{ pages: [], countVersionsTo: 0, exclusive: false },
          },
          () => ({
            ...{ documents: [], outcomes: [], handled: [], result: undefined },
            collections: [{ workspace, collection: 'handbook', change: 'remove' }],
          }),
        );
        await bed.ports.catalog.createCollection(collectionOf('handbook', { workspace }));
      },
    ],
  ])('of a submit are stale after %s', async (_, then) => {
    const client = await clientOf();
    const heard = await commands();
    await bed.ports.catalog.createOperation({ ...key, id: `m-${workspace}`, kind: 'submit' });
    await bed.ports.blobStore.put(blobKeys.source(workspace, 'upload-1'), Buffer.from('x'));
    const letter = await bury('librarian', messageOf(submitted(), `m-${workspace}`));
    expect(await ids(client)).toEqual([letter]);
    await then();
    expect(await ids(client)).toEqual([]);
    expect(await client.replayDeadLetter(letter)).toMatchObject({ state: 'stale', operation_id: null });
    expect(await stateOf(client, letter)).toBe('dropped');
    expect((await bed.ports.catalog.latestOperation(key))?.id).toMatch(/^[mn]-w/);
    expect(heard).toEqual([]);
  });

  it('of a submit whose bytes are gone are stale', async () => {
    const client = await clientOf();
    const letter = await bury('librarian', messageOf(submitted(), `m-${workspace}`));
    const answer = await client.replayDeadLetter(letter);
    expect(answer).toMatchObject({ state: 'stale' });
    expect(answer.reason).toMatch(/submit the document again/);
  });

  it('are dropped for good', async () => {
    const client = await clientOf();
    const letter = await bury('librarian', messageOf(submitted(), `m-${workspace}`));
    expect(await client.dropDeadLetter(letter)).toEqual({ letter_id: letter, state: 'dropped' });
    expect(await ids(client)).toEqual([]);
    expect(await client.replayDeadLetter(letter)).toMatchObject({ state: 'dropped', operation_id: null });
    expect((await client.status()).dead_letters).toBe(0);
  });

  it('of another workspace do not exist, and unreadable ones only for whoever runs the server alone', async () => {
    const apiKeys = [{ key: 'acme-key-0123456789', workspace }];
    const [acme, other] = [await clientOf(), await clientOf('other')];
    const { url } = await (await bed.gateway({ apiKeys })).listen();
    const withKey = new SluiceClient({ url, apiKey: 'acme-key-0123456789', maxRetries: 0 });
    clients.push(withKey);
    const mine = await bury('librarian', messageOf(submitted(), `m-${workspace}`));
    const torn = await bury('purger', { topic: 'purges', key: null, value: randomBytes(9), headers: {} });
    // Its header says one workspace, its content another: the content counts.
    const foreign = await bury('librarian', messageOf(submitted(), 'f', 'other'));
    expect((await ids(acme)).sort()).toEqual([mine, torn].sort());
    expect(await ids(other)).toEqual([torn]);
    expect(await ids(withKey)).toEqual([mine]);
    for (const letter of [mine, foreign]) {
      for (const call of ['deadLetter', 'replayDeadLetter', 'dropDeadLetter'] as const) {
        await expect(other[call](letter)).rejects.toMatchObject({ code: 'not-found' });
      }
    }
    await expect(withKey.deadLetter(torn)).rejects.toMatchObject({ code: 'not-found' });
    expect(await stateOf(acme, mine)).toBe('open');
  });
});

describe('a retry of a document', () => {
  it('is a command of its own', async () => {
    const client = await clientOf();
    const heard = await commands();
    await failedVersion();
    const { operation_id } = await client.retryDocument('handbook', 'd1');
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    expect(heard[0]).toMatchObject({ kind: 'retry', id: operation_id });
    expect(await client.operation(operation_id)).toMatchObject({ kind: 'retry', state: 'accepted' });
    await expect(client.retryDocument('nowhere', 'd1')).rejects.toMatchObject({ code: 'collection-not-found' });
  });
});

function purgeValue() {
  return {
    ...{ workspace, collection: 'handbook', document_id: 'd1', version: 1, version_hash: hash },
    spaces: ['s'],
  };
}
