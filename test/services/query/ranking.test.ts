import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFilesystemBlobStore } from '../../../services/ports/blob-store/filesystem/filesystem.js';
import { writePack } from '../../../services/ports/blob-store/packs.js';
import type { Reranker } from '../../../services/ports/reranker/port.js';
import { at, collectionRecord, fakeCatalog, fakeModels, fakeStore, type StoredPoint } from './fakes.js';
import { idsOf, retrieve } from './harness.js';

interface Given {
  readonly angle: number;
  readonly source?: string;
  readonly updated?: string;
  readonly text?: string;
}

/** A collection of documents of one chunk each, by id. */
function kb(documents: Record<string, Given>) {
  const points = Object.entries(documents).map(([id, { angle, text = 'mill' }]): StoredPoint => ({
    ...{ chunkId: `${id}:0`, documentId: id, seq: 0, versionHash: id, collection: 'kb', vector: at(angle), text },
  }));
  const live = Object.entries(documents).map(([id, { source = id, updated }]) => ({
    ...{ workspace: 'acme', collection: 'kb', documentId: id, versionHash: id, source },
    attributes: updated === undefined ? {} : { updated },
  }));
  const { store, searches } = fakeStore(points);
  const { catalog } = fakeCatalog([collectionRecord('kb')], live);
  const { models, encoded } = fakeModels(at(0));
  return { ports: { catalog, vectorStore: store, embeddingModels: models }, searches, encoded };
}

const semantic = { mode: 'semantic' };

describe('rank mmr', () => {
  const twins = { a: { angle: 0 }, b: { angle: 1 }, c: { angle: 60 } };

  it('takes what is different from the pool, and shows the scores it had', async () => {
    const { hits } = await retrieve(
      { options: { ...semantic, rank: 'mmr', mmr_lambda: 0.3, limit: 2 } },
      kb(twins).ports,
    );
    expect(hits.map(({ chunk_id: id, score }) => [id, score])).toEqual([
      ['a:0', expect.closeTo(1, 5)],
      ['c:0', expect.closeTo(0.5, 5)],
    ]);
  });

  it('weighs BM25 and fused scores as shares of the best, on the scale of a cosine', async () => {
    for (const options of [{ mode: 'lexical' }, { mode: 'hybrid', fusion: 'rrf' }, { mode: 'hybrid' }]) {
      const { ports, encoded } = kb(twins);
      expect(idsOf(await retrieve({ options: { ...options, rank: 'mmr', limit: 2 } }, ports))).toEqual(['a:0', 'c:0']);
      expect(idsOf(await retrieve({ options: { ...options, rank: 'mmr', mmr_lambda: 1, limit: 2 } }, ports))).toEqual([
        'a:0',
        'b:0',
      ]);
      if (options.mode === 'lexical') expect(encoded).toEqual([]);
    }
  });
});

describe('rank recency', () => {
  it('ages scores by the date of the document, and shows them as they were', async () => {
    const { ports } = kb({
      old: { angle: 0, updated: '2024-01-01' },
      new: { angle: 30, updated: '2025-06-29' },
      future: { angle: 60, updated: '2031-01-01' },
    });
    const { hits } = await retrieve({ options: { ...semantic, rank: 'recency' } }, ports);
    expect(hits.map(({ chunk_id: id, score }) => [id, score])).toEqual([
      ['new:0', expect.closeTo(0.866, 3)],
      ['future:0', expect.closeTo(0.5, 3)],
      ['old:0', expect.closeTo(1, 3)],
    ]);
    const slow = { ...semantic, rank: 'recency', half_life_days: 100_000 };
    expect(idsOf(await retrieve({ options: slow }, ports))[0]).toBe('old:0');
  });
});

describe('rank rerank', () => {
  const reranker = (scores: (texts: readonly string[]) => number[]): Reranker & { readonly texts: string[] } => {
    const texts: string[] = [];
    return {
      ...{ name: 'fake', texts },
      rerank(_, given) {
        texts.push(...given);
        return Promise.resolve(scores(given));
      },
    };
  };
  const withTexts = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-query-'));
    const blobStore = await createFilesystemBlobStore({ folder });
    onTestFinished(async () => {
      await blobStore.close();
      await rm(folder, { recursive: true });
    });
    for (const id of ['a', 'b']) {
      const chunk = { seq: 0, start: 0, end: 6, text: `text ${id}`, headingPath: ['Mills', id] };
      await writePack(blobStore, 'acme', id, 0, { textSha256: '', chunks: [chunk] });
    }
    return blobStore;
  };

  it('orders by its own score of the texts as they were embedded, and keeps both scores', async () => {
    const fake = reranker(() => [0.1, 0.9]);
    const { ports } = kb({ a: { angle: 0 }, b: { angle: 30 } });
    const setting = { ...ports, blobStore: await withTexts(), reranker: fake };
    const { hits } = await retrieve({ options: { ...semantic, rank: 'rerank' } }, setting);
    expect(hits).toMatchObject([
      { chunk_id: 'b:0', rerank_score: 0.9, score: expect.closeTo(0.866, 3) as number },
      { chunk_id: 'a:0', rerank_score: 0.1 },
    ]);
    expect(fake.texts).toEqual(['Mills > a\n\ntext a', 'Mills > b\n\ntext b']);
  });

  it.each([[[0.5]], [[0.5, NaN]]])('refuses the scores %s of two texts', async (scores) => {
    const { ports } = kb({ a: { angle: 0 }, b: { angle: 30 } });
    const setting = { ...ports, blobStore: await withTexts(), reranker: reranker(() => scores) };
    const { error } = await retrieve({ options: { ...semantic, rank: 'rerank' } }, setting);
    expect(error?.code).toBe('invalid-response');
  });
});

describe('cap_per_source', () => {
  it('keeps the best of each source', async () => {
    const { ports } = kb({
      a: { angle: 0, source: 's' },
      b: { angle: 1, source: 's' },
      c: { angle: 2, source: 't' },
      d: { angle: 3, source: 's' },
      e: { angle: 4, source: 'u' },
    });
    const options = { ...semantic, cap_per_source: 2 };
    expect(idsOf(await retrieve({ options }, ports))).toEqual(['a:0', 'b:0', 'c:0', 'e:0']);
    expect(idsOf(await retrieve({ options: { ...options, cap_per_source: 1, limit: 2 } }, ports))).toEqual([
      'a:0',
      'c:0',
    ]);
  });

  it('looks further when one source fills the pool, but not without end', async () => {
    const crowd = (count: number): Record<string, Given> =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, { angle: i / 10_000, source: 'x' }]));
    const options = { ...semantic, cap_per_source: 1, limit: 2 };
    const some = kb({ ...crowd(300), other: { angle: 60 } });
    expect(idsOf(await retrieve({ options }, some.ports))).toEqual(['x0:0', 'other:0']);
    expect(some.searches.map(({ limit }) => limit)).toEqual([50, 200, 800]);
    const endless = kb({ ...crowd(4000), other: { angle: 60 } });
    expect(idsOf(await retrieve({ options }, endless.ports))).toEqual(['x0:0']);
    expect(endless.searches.map(({ limit }) => limit)).toEqual([50, 200, 800, 3200]);
  });

  it('comes after the ranking and before the limit', async () => {
    const { ports } = kb({
      a: { angle: 0, source: 's' },
      b: { angle: 1, source: 's' },
      c: { angle: 60, source: 't' },
      d: { angle: -60, source: 's' },
    });
    const options = { ...semantic, rank: 'mmr', cap_per_source: 1, limit: 2 };
    expect(idsOf(await retrieve({ options }, ports))).toEqual(['a:0', 'c:0']);
  });
});

describe('explain', () => {
  const explained = async (options: object, documents: Record<string, Given>, dead: StoredPoint[] = []) => {
    const { ports } = kb(documents);
    const folder = await mkdtemp(join(tmpdir(), 'sluice-query-'));
    const blobStore = await createFilesystemBlobStore({ folder });
    onTestFinished(async () => {
      await blobStore.close();
      await rm(folder, { recursive: true });
    });
    for (const [id, { text = 'mill' }] of Object.entries(documents)) {
      const chunk = { seq: 0, start: 0, end: text.length, text, headingPath: [] };
      await writePack(blobStore, 'acme', id, 0, { textSha256: '', chunks: [chunk] });
    }
    const { store } = fakeStore([
      ...dead,
      ...Object.entries(documents).map(([id, { angle, text = 'mill' }]) => ({
        ...{ chunkId: `${id}:0`, documentId: id, seq: 0, versionHash: id, collection: 'kb', vector: at(angle), text },
      })),
    ]);
    const request = { query: 'the old mills of 7.3.2', options: { explain: true, ...options } };
    const { hits, explain } = await retrieve(request, { ...ports, vectorStore: store, blobStore });
    return {
      search: JSON.parse(explain ?? '') as unknown,
      hits: hits.map((hit) => JSON.parse(hit.explain ?? '') as unknown),
    };
  };

  it('shows each list’s rank, score, contribution, and the words that matched', async () => {
    const documents = { a: { angle: 0, text: 'river' }, b: { angle: 60, text: 'A mill, release 7.3.2, mills.' } };
    const { hits, search } = await explained({}, documents);
    expect(hits).toEqual([
      {
        vector: { rank: 2, score: expect.closeTo(0.5, 5) as number, contribution: 0 },
        lexical: {
          rank: 1,
          score: expect.any(Number) as number,
          contribution: 0.7,
          terms: ['mill', '7.3.2', '7', '3', '2'],
        },
        place_before_ranking: 1,
        ranking: null,
        liveness: { version: 1, live_since: '2025-06-02T00:00:00.000Z' },
      },
      {
        vector: { rank: 1, score: expect.closeTo(1, 5) as number, contribution: 0.3 },
        lexical: null,
        place_before_ranking: 2,
        ranking: null,
        liveness: { version: 1, live_since: '2025-06-02T00:00:00.000Z' },
      },
    ]);
    expect(search).toEqual({
      ...{ mode: 'hybrid', score: 'fused', fusion: { method: 'relative', dense_weight: 0.3 }, ranking: null },
      ...{ cap_per_source: null, collections: ['kb'], seen_at: '2025-06-30T00:00:00.000Z', pool: 50, rounds: 1 },
      ...{ matches: 2, not_live: 0, missing_lists: [], left_out: null },
    });
  });

  it('names the best that is left out, and why', async () => {
    const documents = { a: { angle: 0, source: 's' }, b: { angle: 1, source: 's' }, c: { angle: 60 } };
    const reason = async (options: object) =>
      (await explained({ ...semantic, limit: 2, ...options }, documents)).search;
    expect(await reason({})).toMatchObject({ left_out: { chunk_id: 'c:0', reason: 'limit' } });
    expect(await reason({ cap_per_source: 1 })).toMatchObject({
      left_out: { chunk_id: 'b:0', reason: 'cap_per_source' },
    });
    expect(await reason({ rank: 'mmr' })).toMatchObject({
      left_out: { chunk_id: 'b:0', document_id: 'b', collection: 'kb', reason: 'ranking' },
    });
  });

  it('says what ranking did, and what was not live', async () => {
    const documents = { a: { angle: 0, updated: '2025-04-01' }, b: { angle: 10, updated: '2025-06-30' } };
    const dead = { chunkId: 'z:0', documentId: 'z', seq: 0, versionHash: 'z', collection: 'kb', vector: at(0) };
    const { hits, search } = await explained({ ...semantic, rank: 'recency' }, documents, [dead]);
    expect(hits).toMatchObject([
      { place_before_ranking: 2, ranking: { kind: 'recency', factor: 1, date: '2025-06-30T00:00:00.000Z' } },
      { place_before_ranking: 1, ranking: { kind: 'recency', factor: 0.5, score: expect.closeTo(0.5, 3) as number } },
    ]);
    expect(search).toMatchObject({ not_live: 1 });
  });
});
