import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SluiceError } from '../../../services/domain/errors.js';
import { decoder } from '../../../services/decoder/decoder.js';
import { blobKeys } from '../../../services/ports/blob-store/keys.js';
import type { BlobStore } from '../../../services/ports/blob-store/port.js';
import { closeWorkers } from '../../../services/runtime/workers/pool.js';
import { acceptedMessage, createStage, decodeOn, hash, versionRecord, workspace, type Stage } from './stage.js';

let stage: Stage;
beforeEach(async () => (stage = await createStage()));
afterEach(() => stage.close());
afterAll(closeWorkers);

const source = '---\ntitle: Guide\nyear: 2024\n---\n# Guide\n\nText with “quotes”.\n';
const text = '# Guide\n\nText with “quotes”.\n';
const textSha256 = createHash('sha256').update(text).digest('hex');

describe('the decoder', () => {
  it('stores text and blocks and tells of both', async () => {
    await stage.upload(source);
    const outputs = await decodeOn(stage);
    const of = {
      ...{ workspace, collection: 'handbook', document_id: 'guide', version: 1, version_hash: hash },
      ...{ text_sha256: textSha256, text_bytes: Buffer.byteLength(text), content_type: 'text/markdown' },
    };
    expect(outputs.map((output) => [output.topic.name, output.value])).toEqual([
      ['document-commands', { kind: 'decoded', ...of, attributes: '{"title":"Guide","year":2024}' }],
      ['documents-decoded', of],
    ]);
    expect(await stage.text()).toBe(text);
    const lines = (await stage.blobStore.get(blobKeys.blocks(workspace, hash)))?.toString().trimEnd().split('\n');
    expect(lines?.map((line) => JSON.parse(line) as unknown)).toEqual([
      { kind: 'heading', bytes: 9, code_points: 9, level: 1, title: 'Guide' },
      { kind: 'paragraph', bytes: 24, code_points: 20 },
      {
        ...{ text_sha256: textSha256, text_bytes: 33, code_points: 29, blocks: 2, content_type: 'text/markdown' },
        ...{ encoding: 'utf-8', encoding_source: 'utf-8', attributes: { title: 'Guide', year: 2024 } },
      },
    ]);
  });

  it('confirms a text that is stored without decoding again', async () => {
    await stage.upload(source);
    const first = await decodeOn(stage);
    await stage.upload('something else');
    expect(await decodeOn(stage)).toEqual(first);
    expect(await stage.text()).toBe(text);
  });

  it('finds the summary behind long front matter and many blocks', async () => {
    await stage.upload(`---\nlong: ${'x'.repeat(20_000)}\n---\n${'paragraph\n\n'.repeat(3_000)}`);
    const first = await decodeOn(stage);
    expect(await decodeOn(stage)).toEqual(first);
  });

  it('makes an empty text of an empty document', async () => {
    await stage.upload('');
    const [, decoded] = await decodeOn(stage);
    expect(decoded?.value).toMatchObject({ text_bytes: 0, text_sha256: createHash('sha256').digest('hex') });
    expect(await stage.text()).toBe('');
  });

  it('streams a document of many segments', async () => {
    const long = `# Title\n\n${'A sentence of prose that goes on. '.repeat(30)}\n\n`.repeat(4_000);
    await stage.upload(long);
    await decodeOn(stage);
    expect(await stage.text()).toBe(long);
  });

  it('costs nothing for a version that is dead', async () => {
    await stage.upload(source);
    for (const dead of [undefined, versionRecord({ state: 'superseded' }), versionRecord({ state: 'deleting' })]) {
      stage.states = [dead];
      expect(await decodeOn(stage)).toEqual([]);
    }
    expect(await stage.keys(`${workspace}/texts/`)).toEqual([]);
  });

  it('leaves its write to the purge when the version was superseded meanwhile', async () => {
    await stage.upload(source);
    stage.states = [versionRecord(), versionRecord({ state: 'superseded' })];
    expect(await decodeOn(stage)).toEqual([]);
    expect(await stage.text()).toBe(text);
  });

  it.each([
    ['deleting', versionRecord({ state: 'deleting' })],
    ['purged', versionRecord({ state: 'superseded', purgeBegun: true })],
    ['unknown', undefined],
  ])('removes what it wrote when the version is %s by then', async (_, then) => {
    await stage.upload(source);
    stage.states = [versionRecord(), then];
    expect(await decodeOn(stage)).toEqual([]);
    expect(await stage.keys(`${workspace}/texts/`)).toEqual([]);
    expect(await stage.keys(`${workspace}/blocks/`)).toEqual([]);
  });

  it('misses the source of a living version, not that of a dead one', async () => {
    await expect(decodeOn(stage)).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('missing') as unknown,
    });
    stage.states = [versionRecord(), versionRecord({ state: 'deleting' })];
    expect(await decodeOn(stage)).toEqual([]);
  });

  it('leaves nothing of a document that it cannot decode, and says so', async () => {
    await stage.upload('%PDF-1.7 ...');
    const error: unknown = await decodeOn(stage).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SluiceError);
    expect(await stage.keys(`${workspace}/texts/`)).toEqual([]);
    const delivery = {
      ...{ value: acceptedMessage, headers: { 'message-id': 'm' }, partition: 0, offset: 0n, timestamp: 0, attempt: 1 },
    };
    expect(decoder.onDeadLetter?.(delivery, error)[0]?.value).toMatchObject({
      ...{ kind: 'failed', stage: 'decoder', code: 'unsupported-format', version_hash: hash },
      reason: expect.stringContaining('a PDF document') as unknown,
    });
  });

  it('leaves nothing, and no open file, when the store fails on the way', async () => {
    const long = 'word '.repeat(2_000_000);
    await stage.upload(long);
    const { blobStore } = stage;
    for (const failing of ['texts', 'blocks']) {
      const broken: BlobStore = {
        put: (key, bytes) => blobStore.put(key, bytes),
        get: (key) => blobStore.get(key),
        getStream: (key, range) => blobStore.getStream(key, range),
        head: (key) => blobStore.head(key),
        list: (prefix) => blobStore.list(prefix),
        delete: (keys) => blobStore.delete(keys),
        abortUploads: (before) => blobStore.abortUploads(before),
        close: () => blobStore.close(),
        async putStream(key, from, signal) {
          if (!key.includes(`/${failing}/`)) return blobStore.putStream(key, from, signal);
          for await (const bytes of from) if (bytes.length > 0) break;
          throw new SluiceError('storage-full', 'no space');
        },
      };
      const partly = { ...stage, ports: { ...stage.ports, blobStore: broken } };
      await expect(decodeOn(partly)).rejects.toMatchObject({ code: 'storage-full' });
      expect(await stage.text()).toBeUndefined();
    }
    await decodeOn(stage);
    expect(await stage.text()).toBe(long);
  });
});
