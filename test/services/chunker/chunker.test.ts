import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DocumentDecoded } from '../../../schema/generated.js';
import { chunkDocument } from '../../../services/chunker/chunk-document.js';
import { chunker } from '../../../services/chunker/chunker.js';
import { topics } from '../../../schema/topics.js';
import { blobKeys } from '../../../services/ports/blob-store/keys.js';
import { readPack, writePack } from '../../../services/ports/blob-store/packs.js';
import { closeWorkers } from '../../../services/runtime/workers/pool.js';
import { createStage, decodeOn, hash, versionRecord, withSpec, workspace, type Stage } from '../decoder/stage.js';
import { blocksOf, chunksOf, inWords, spec } from './cutting.js';

let stage: Stage;
beforeEach(async () => (stage = await createStage()));
afterEach(() => stage.close());
afterAll(closeWorkers);

const config = { concurrency: 4, segmentTimeoutMs: 20_000 };
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Paragraph number ${index} has seven words.\n\n`).join('');

async function decoded(text: string): Promise<DocumentDecoded> {
  await stage.upload(text);
  const { states } = stage;
  stage.states = [versionRecord()];
  const [, message] = await decodeOn(stage);
  stage.states = states;
  if (message?.topic !== topics.documentsDecoded) throw new Error('not decoded');
  return message.value as DocumentDecoded;
}

async function chunkOn(message: DocumentDecoded) {
  const outputs: { topic: string; value: Record<string, unknown> }[] = [];
  const signal = new AbortController().signal;
  for await (const { topic, value } of chunkDocument(message, { ports: stage.ports, config, signal })) {
    outputs.push({ topic: topic.name, value: { ...value } });
  }
  return outputs;
}

const packs = () => stage.keys(blobKeys.packs(workspace, hash));
const pack = (number: number) => readPack(stage.blobStore, workspace, hash, number);

describe('the chunker', () => {
  it('stores packs of 64 chunks, tells of each once per space, and last how many there are', async () => {
    const spaces = [
      { id: 's1', model: 'm', dimensions: 3 },
      { id: 's2', model: 'm', dimensions: 4 },
    ];
    stage.states = [{ ...withSpec(inWords(8)), spaces }];
    const message = await decoded(paragraphs(130));
    const outputs = await chunkOn(message);
    expect(outputs.map(({ topic, value }) => [topic, value['kind'] ?? value['pack'], value['space']])).toEqual([
      ...[0, 1, 2].flatMap((number) => [
        ['chunks-created', number, 's1'],
        ['chunks-created', number, 's2'],
      ]),
      ['document-commands', 'chunked', undefined],
    ]);
    expect(outputs.at(-1)?.value).toMatchObject({ packs: 3, chunks: 130, text_sha256: message.text_sha256 });
    expect((await pack(1))?.chunks.map(({ seq }) => seq)).toEqual(Array.from({ length: 64 }, (_, index) => 64 + index));
    expect((await pack(2))?.chunks).toHaveLength(2);
    expect((await pack(2))?.textSha256).toBe(message.text_sha256);
  });

  it('makes of a long text, segment by segment, what it makes of the whole', async () => {
    const text = `# T\n\n${paragraphs(500)}`.repeat(80);
    for (const chunkerSpec of [spec({}), spec({ strategy: 'fixed', size: 100, overlap: 10 })]) {
      stage.states = [withSpec(chunkerSpec)];
      await stage.blobStore.delete([...(await packs()), blobKeys.text(workspace, hash)]);
      const [last] = (await chunkOn(await decoded(text))).slice(-1);
      const expected = chunksOf(chunkerSpec, [blocksOf([text])]);
      expect(last?.value).toMatchObject({ chunks: expected.length });
      const stored = await Promise.all((await packs()).map((_, number) => pack(number)));
      expect(stored.flatMap((one) => one?.chunks ?? [])).toEqual(expected);
    }
  });

  it('says of an empty text that it has no chunks', async () => {
    expect((await chunkOn(await decoded('\n \n'))).map(({ value }) => value)).toMatchObject([
      { kind: 'chunked', packs: 0, chunks: 0 },
    ]);
  });

  it.each(['', paragraphs(300)])('closes what it opened, whether it read it or not', async (text) => {
    const opened: Readable[] = [];
    const open = stage.blobStore.getStream.bind(stage.blobStore);
    const message = await decoded(text);
    stage.blobStore.getStream = async (key, range) => {
      const stream = await open(key, range);
      if (stream !== undefined) opened.push(stream);
      return stream;
    };
    await chunkOn(message);
    expect(opened).toHaveLength(2);
    await vi.waitFor(() => expect(opened.map(({ closed }) => closed)).toEqual([true, true]));
  });

  it('does the same again, and leaves no pack of another text', async () => {
    stage.states = [withSpec(inWords(8))];
    const message = await decoded(paragraphs(70));
    const first = await chunkOn(message);
    const [kept, last] = [await pack(0), await pack(1)];
    for (const number of [1, 2])
      await writePack(stage.blobStore, workspace, hash, number, { textSha256: 'other', chunks: [] });
    stage.states = [{ ...withSpec(inWords(8)), packs: 3 }];
    expect(await chunkOn(message)).toEqual(first);
    expect(await pack(0)).toEqual(kept);
    expect(await pack(1)).toEqual(last);
    expect(last?.chunks).toHaveLength(6);
    expect(await pack(2)).toBeUndefined();
  });

  it('costs nothing for a dead version, and stops when it dies', async () => {
    const message = await decoded(paragraphs(600));
    stage.states = [versionRecord({ state: 'superseded' })];
    expect(await chunkOn(message)).toEqual([]);
    expect(await packs()).toEqual([]);
    const alive = withSpec(inWords(8));
    stage.states = [alive, alive, { ...alive, state: 'superseded' }];
    expect((await chunkOn(message)).map(({ value }) => value['pack'])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await packs()).toHaveLength(10);
    stage.states = [alive, alive, { ...alive, state: 'deleting' }];
    expect((await chunkOn(message)).map(({ value }) => value['pack'])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await packs()).toEqual([]);
  });

  it('misses the text of a living version, not that of a dead one', async () => {
    const message = await decoded('text');
    await stage.blobStore.delete([blobKeys.text(workspace, hash)]);
    await expect(chunkOn(message)).rejects.toMatchObject({ code: 'internal' });
    stage.states = [versionRecord(), undefined];
    expect(await chunkOn(message)).toEqual([]);
  });

  it('refuses a text that is not the one announced', async () => {
    const message = await decoded('text');
    await expect(chunkOn({ ...message, text_sha256: '0'.repeat(64) })).rejects.toThrow(/announced/);
  });

  it('tells the librarian when a message is given up', async () => {
    const value = await decoded('text');
    const delivery = { value, headers: { 'message-id': 'm' }, partition: 0, offset: 0n, timestamp: 0, attempt: 5 };
    expect(chunker.onDeadLetter?.(delivery, new Error('broken'))[0]?.value).toMatchObject({
      ...{ kind: 'failed', stage: 'chunker', code: 'internal', reason: 'broken', version_hash: hash },
    });
  });
});
