import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChunksCreated, NewMessages } from '../../../schema/generated.js';
import { topics } from '../../../schema/topics.js';
import { SluiceError } from '../../../services/domain/errors.js';
import { chunkId } from '../../../services/domain/identity.js';
import { expandFilter } from '../../../services/domain/filter/expand-filter.js';
import type { Filter } from '../../../services/domain/filter/filter.js';
import { filterableAttributes } from '../../../services/domain/filter/filterable-attributes.js';
import { blobKeys } from '../../../services/ports/blob-store/keys.js';
import type { Catalog } from '../../../services/ports/catalog/port.js';
import { payloadWriter } from '../../../services/vector-writer/payload-writer.js';
import { purger } from '../../../services/vector-writer/purger.js';
import { vectorWriter } from '../../../services/vector-writer/vector-writer.js';
import { submitOf } from '../../contracts/catalog-fixture.js';
import { chunksOf, delivery, openStage, type Stage } from '../embedder/stage.js';

describe('the vector-writer', () => {
  let stage: Stage;
  beforeAll(async () => void (stage = await openStage()));
  afterAll(() => stage.close());

  const embedded = ({ space, ...message }: ChunksCreated, chunks = 1): NewMessages['ChunksEmbedded'] => ({
    metadata: { ...message },
    space,
    chunks: Array.from({ length: chunks }, (_, seq) => ({
      chunk_id: chunkId(message.version_hash, seq),
      vectors: [new Float32Array(1024).fill(1)],
    })),
  });

  const write = (messages: readonly NewMessages['ChunksEmbedded'][], ports: object = {}) =>
    vectorWriter.handleBatch(
      messages.map((message) => delivery(topics.chunksEmbedded, message)),
      stage.context(ports) as unknown as Parameters<typeof vectorWriter.handleBatch>[1],
    );

  const countOf = ({ version_hash: versionHash }: { version_hash: string }): Promise<number> =>
    stage.ports.vectorStore.count(stage.scope, { versionHash });

  const equals = (key: string, operand: string | number): Filter => ({ kind: 'compare', key, operator: '=', operand });

  const find = async (term: string, filter?: Filter): Promise<readonly string[]> => {
    const options = { limit: 10, ...(filter === undefined ? {} : { filter }) };
    const hits = await stage.ports.vectorStore.searchTerms(stage.scope, [term], options);
    return hits.map(({ documentId }) => documentId);
  };

  /** The catalog, with something done just before its `n`th read of versions. */
  function before(n: number, act: () => Promise<void>): { catalog: Catalog } {
    let reads = 0;
    const catalog = stage.ports.catalog;
    const versions: Catalog['versions'] = async (hashes) => {
      reads++;
      if (reads === n) await act();
      return catalog.versions(hashes);
    };
    return {
      catalog: new Proxy(catalog, {
        get: (target, name) => (name === 'versions' ? versions : Reflect.get(target, name)) as unknown,
      }),
    };
  }

  it('writes the packs of many documents in one upsert per scope, and confirms each', async () => {
    const one = await stage.version('one', chunksOf('Zebras run', 'Giraffes eat'), {
      ...{ attributes: { year: 2020 }, tags: ['animal'], title: 'Zoo', source: 'file:///zoo.md' },
    });
    const two = await stage.version('two', chunksOf('Zebra'));
    let upserts = 0;
    const vectorStore = new Proxy(stage.ports.vectorStore, {
      get: (target, name) => ((upserts += name === 'upsert' ? 1 : 0), Reflect.get(target, name)) as unknown,
    });
    const outcomes = await write([embedded(one, 2), embedded(two)], { vectorStore });
    expect(upserts).toBe(1);
    expect(outcomes[0]).toEqual({
      outputs: [
        {
          topic: topics.documentCommands,
          value: {
            ...{ kind: 'indexed', workspace: 'acme', collection: 'handbook', document_id: 'one', version: 1 },
            ...{ version_hash: one.version_hash, pack: 0, space: one.space, revision: 1 },
          },
        },
      ],
    });
    expect(outcomes[1]).toMatchObject({ outputs: [{ value: { kind: 'indexed', document_id: 'two' } }] });
    expect([...(await find('zebra'))].sort()).toEqual(['one', 'two']);
    expect(await find('guid', equals('document_id', 'two'))).toEqual(['two']); // the heading path is indexed too
    for (const filter of [
      equals('year', 2020),
      equals('tags', 'animal'),
      equals('title', 'Zoo'),
      equals('source', 'file:///zoo.md'),
    ]) {
      expect(await find('zebra', filter)).toEqual(['one']);
    }
  });

  it('writes what the catalog knows the values of, under the same keys', async () => {
    const given = {
      ...{ attributes: { 'n.d': 1.5, list: [1, 'x'] }, tags: ['a', 'b'], title: 'T', source: 'file:///Ä.md' },
      ...{ contentType: 'text/plain', fileTime: Date.UTC(2024, 1, 2, 3, 4, 5, 60) },
    };
    const message = await stage.version('known', chunksOf('Capybara'), given);
    await write([embedded(message)]);
    const { catalog } = stage.ports;
    const [version] = (await catalog.versions([message.version_hash])).values();
    const attributes = filterableAttributes(version ?? expect.fail('the version is gone'));
    expect(Object.keys(attributes)).toHaveLength(8);
    for (const [key, value] of Object.entries(attributes)) {
      const values = await catalog.attributeValues('acme', 'handbook', key, 100);
      expect(values).toContainEqual(value);
      const where = { kind: 'compare', key, operator: '~', operand: '**' } as const;
      const filter = await expandFilter(where, () => Promise.resolve(values));
      expect(await find('capybara', filter)).toEqual(['known']);
    }
  });

  it('changes nothing when a message is delivered again', async () => {
    const message = await stage.version('again', chunksOf('Okapi'));
    const first = await write([embedded(message)]);
    expect(await write([embedded(message)])).toEqual(first);
    expect(await countOf(message)).toBe(1);
  });

  it('writes nothing of a dead version', async () => {
    const dead = await stage.version('dead', chunksOf('old'));
    await stage.version('dead', chunksOf('new'));
    expect(await write([embedded(dead)])).toEqual([{ outputs: [] }]);
    expect(await countOf(dead)).toBe(0);
  });

  it('removes what it wrote when the version was deleted meanwhile', async () => {
    const message = await stage.version('deleted', chunksOf('gone'));
    const ports = before(2, () => stage.command('deleted', { kind: 'delete', operation: 'delete', upTo: null }));
    expect(await write([embedded(message)], ports)).toEqual([{ outputs: [] }]);
    expect(await countOf(message)).toBe(0);
  });

  it('leaves what it wrote to the purge when the version was superseded meanwhile', async () => {
    const message = await stage.version('superseded', chunksOf('old'));
    const newer = { operation: 'newer', uploadId: 'newer' };
    const ports = before(2, () => stage.command('superseded', submitOf('newer', newer)));
    expect(await write([embedded(message)], ports)).toEqual([{ outputs: [] }]);
    const [version] = (await stage.ports.catalog.versions([message.version_hash])).values();
    expect(await countOf(message)).toBe(version?.purgeBegun === false ? 1 : 0);
  });

  it('writes attributes that moved meanwhile again, and confirms their revision', async () => {
    const message = await stage.version('moved', chunksOf('Quokka'), { attributes: { state: 'draft' } });
    const decoded = {
      ...{ kind: 'decoded' as const, version: 1, textSha256: 'x', textBytes: 1, contentType: 'text/plain' },
      ...{ title: null, attributes: { level: 7 } },
    };
    const ports = before(2, () => stage.command('moved', decoded));
    const [outcome] = await write([embedded(message)], ports);
    const [version] = (await stage.ports.catalog.versions([message.version_hash])).values();
    expect(version?.attributeRevision).toBeGreaterThan(1);
    expect(outcome).toMatchObject({ outputs: [{ value: { revision: version?.attributeRevision } }] });
    expect(await find('quokka', equals('level', 7))).toEqual(['moved']);
  });

  it('reports packs that are missing, do not fit their vectors or have another width, and writes the others', async () => {
    const missing = await stage.version('missing', chunksOf('x'));
    await stage.ports.blobStore.delete([blobKeys.pack('acme', missing.version_hash, 0)]);
    const short = await stage.version('short', chunksOf('x'));
    const good = await stage.version('good', chunksOf('Narwhal'));
    const outcomes = await write([
      embedded(missing),
      embedded(short, 2),
      embedded(good),
      { ...embedded(good), space: 'other' },
    ]);
    expect(outcomes).toMatchObject([
      { error: { message: expect.stringMatching(/missing/) as string } },
      { error: { code: 'invalid-response' } },
      { outputs: [{ value: { kind: 'indexed' } }] },
      { error: { code: 'space-mismatch' } },
    ]);
    expect(await find('narwhal')).toEqual(['good']);
    const narrow = embedded(await stage.version('narrow', chunksOf('x')));
    narrow.chunks[0]?.vectors.splice(0, 1, new Float32Array(3));
    expect(await write([narrow])).toMatchObject([{ error: { code: 'space-mismatch' } }]);
  });

  it('does not choke on imported points', async () => {
    const message = embedded(await stage.version('imported', chunksOf('x')));
    const imported = {
      ...message,
      metadata: { ...message.metadata, version: null, version_hash: null, pack: null, import_id: 'i' },
    };
    expect(await write([imported])).toEqual([{ outputs: [] }]);
    expect(vectorWriter.onDeadLetter?.(delivery(topics.chunksEmbedded, imported), new Error('x'))).toEqual([]);
  });

  it('fails as a whole when the store is down', async () => {
    const message = await stage.version('down', chunksOf('x'));
    const vectorStore = {
      ...stage.ports.vectorStore,
      upsert: () => Promise.reject(new SluiceError('unavailable', 'down')),
    };
    await expect(write([embedded(message)], { vectorStore })).rejects.toMatchObject({ code: 'unavailable' });
  });

  describe('the payload-writer', () => {
    const update = (message: ChunksCreated, ports: object = {}) =>
      payloadWriter.handle(delivery(topics.payloadUpdates, { ...message, revision: 1 }), stage.context(ports));

    it('writes the attributes that the catalog holds, again when they move meanwhile', async () => {
      const message = await stage.version('payload', chunksOf('Axolotl'), { attributes: { n: 1 } });
      await write([embedded(message)]);
      const again = { attributes: { n: 2 }, operation: 'again', uploadId: 'again', contentHash: 'payload 1' };
      await stage.command('payload', submitOf('payload 1', again));
      const once = { attributes: { n: 3 }, operation: 'once', uploadId: 'once', contentHash: 'payload 1' };
      const outputs = await update(
        message,
        before(2, () => stage.command('payload', submitOf('payload 1', once))),
      );
      expect(outputs).toMatchObject([{ value: { kind: 'payload-updated', version: 1, revision: 3 } }]);
      expect(await find('axolotl', equals('n', 3))).toEqual(['payload']);
      expect(await find('axolotl', equals('n', 1))).toEqual([]);
    });

    it('writes nothing for a dead version', async () => {
      const message = await stage.version('payload-dead', chunksOf('x'));
      await stage.command('payload-dead', { kind: 'delete', operation: 'bye', upTo: null });
      expect(await update(message)).toEqual([]);
    });
  });

  describe('the purger', () => {
    const purge = (messages: readonly ChunksCreated[]) =>
      purger.handleBatch(
        messages.map((message) =>
          delivery(topics.purges, { ...message, spaces: [message.space, 'a space of the past'] }),
        ),
        stage.context() as unknown as Parameters<typeof purger.handleBatch>[1],
      );

    it('removes exactly the points of the dead versions, and says so', async () => {
      const one = await stage.version('purge-one', chunksOf('x'));
      const two = await stage.version('purge-two', chunksOf('x'));
      const kept = await stage.version('purge-kept', chunksOf('x'));
      await write([one, two, kept].map((message) => embedded(message)));
      await stage.command('purge-one', { kind: 'delete', operation: 'd1', upTo: null });
      await stage.command('purge-two', { kind: 'delete', operation: 'd2', upTo: null });
      const outcomes = await purge([one, two]);
      expect(outcomes).toMatchObject([
        { outputs: [{ value: { kind: 'purged', version: 1, document_id: 'purge-one' } }] },
        { outputs: [{ value: { kind: 'purged', version: 1, document_id: 'purge-two' } }] },
      ]);
      expect([await countOf(one), await countOf(two), await countOf(kept)]).toEqual([0, 0, 1]);
      expect(await purge([one])).toMatchObject([{ outputs: [{ value: { kind: 'purged' } }] }]);
    });
  });
});
