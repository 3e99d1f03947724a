import { describe, expect, it, vi } from 'vitest';
import { SluiceError } from '../../../services/domain/errors.js';
import { at, collectionRecord, fakeCatalog, fakeModels, fakeStore, space, type StoredPoint } from './fakes.js';
import { idsOf, publish, retrieve, retrieveForGateway, type Request } from './harness.js';

/** Documents of one chunk each: a is nearest to 0°, then b, c, d; the words go the other way. */
const points: readonly StoredPoint[] = [
  { chunkId: 'a:0', documentId: 'a', vector: at(5), text: 'a river' },
  { chunkId: 'b:0', documentId: 'b', vector: at(10), text: 'a mill' },
  { chunkId: 'c:0', documentId: 'c', vector: at(80), text: 'mill and mill' },
  { chunkId: 'd:0', documentId: 'd', vector: at(100), text: 'a mill by a mill by the mill' },
].map((point) => ({ ...point, seq: 0, versionHash: point.documentId, collection: 'kb' }));
const liveOnes = points.map(({ documentId, collection, versionHash = '' }) => ({
  ...{ workspace: 'acme', collection, documentId, versionHash },
}));

function setting(rest: { points?: readonly StoredPoint[]; live?: typeof liveOnes } = {}) {
  const { catalog, asked } = fakeCatalog(
    [collectionRecord('kb'), collectionRecord('other'), collectionRecord('secret', { workspace: 'rival' })],
    rest.live ?? liveOnes,
  );
  const { store, searches } = fakeStore(rest.points ?? points);
  const { models, encoded } = fakeModels(at(0));
  return { ports: { catalog, vectorStore: store, embeddingModels: models }, asked, searches, encoded };
}

describe('a retrieval', () => {
  it('by meaning shows cosines, descending', async () => {
    const { ports } = setting();
    const { hits } = await retrieve({ options: { mode: 'semantic' } }, ports);
    expect(hits.map(({ chunk_id: id, score }) => [id, score])).toEqual(
      [5, 10, 80, 100].map((angle, i) => [
        ['a:0', 'b:0', 'c:0', 'd:0'][i],
        expect.closeTo(Math.cos((angle * Math.PI) / 180), 5) as number,
      ]),
    );
  });

  it('by words shows BM25, finds only what holds one, and embeds nothing', async () => {
    const { ports, encoded, searches } = setting();
    const result = await retrieve({ options: { mode: 'lexical' } }, ports);
    expect(new Set(idsOf(result))).toEqual(new Set(['b:0', 'c:0', 'd:0']));
    expect(result.hits.every(({ score }, i) => score > 0 && score <= (result.hits[i - 1]?.score ?? Infinity))).toBe(
      true,
    );
    expect(encoded).toEqual([]);
    expect(searches.map(({ list }) => list)).toEqual(['lexical']);
  });

  it('by both fuses them as the model says, or the request', async () => {
    const { ports, encoded } = setting();
    expect(idsOf(await retrieve({}, ports))[0]).not.toBe('a:0'); // 0.3 for meaning, 0.7 for words
    expect(idsOf(await retrieve({ options: { dense_weight: 1 } }, ports)).slice(0, 2)).toEqual(['a:0', 'b:0']);
    expect(encoded.length).toBe(2);
    const byRanks = await retrieve({ options: { fusion: 'rrf' } }, ports);
    expect(byRanks.hits[0]?.score).toBeGreaterThan(1 / 61);
    expect(byRanks.hits[0]?.score).toBeLessThan(2 / 60);
  });

  it('tells everything that a hit needs', async () => {
    const { ports } = setting({ live: [] });
    const { catalog } = fakeCatalog(
      [collectionRecord('kb')],
      [
        {
          ...liveOnes[0],
          workspace: 'acme',
          collection: 'kb',
          documentId: 'a',
          versionHash: 'a',
          title: 'River',
          attributes: { year: 2024 },
        },
      ],
    );
    const { hits } = await retrieve({ options: { mode: 'semantic' } }, { ...ports, catalog });
    expect(hits).toEqual([
      {
        ...{ chunk_id: 'a:0', document_id: 'a', collection: 'kb', version_hash: 'a', seq: 0, source: 'file:///a' },
        ...{ title: 'River', score: expect.closeTo(Math.cos((5 * Math.PI) / 180), 5) as number, rerank_score: null },
        ...{ metadata: '{"year":2024}', ingested_at: Date.parse('2025-06-01'), orphaned: false, explain: null },
      },
    ]);
  });

  it('gives all of them when the limit is larger', async () => {
    const { ports } = setting();
    expect(idsOf(await retrieve({ options: { mode: 'semantic', limit: 1000 } }, ports))).toHaveLength(4);
  });

  it('looks among at least 50 candidates, and among as many as it is to give', async () => {
    for (const [limit, pool] of [
      [5, 50],
      [15, 50],
      [200, 200],
    ] as const) {
      const { ports, searches } = setting();
      await retrieve({ options: { limit } }, ports);
      expect(searches.map((search) => search.limit)).toEqual([pool, pool]);
    }
  });

  it('keeps to min_score', async () => {
    const { ports } = setting();
    expect(idsOf(await retrieve({ options: { mode: 'semantic', min_score: 0.5 } }, ports))).toEqual(['a:0', 'b:0']);
  });

  it('searches several collections as one', async () => {
    const elsewhere = { chunkId: 'e:0', documentId: 'e', seq: 0, versionHash: 'e', collection: 'other', vector: at(7) };
    const all = { points: [...points, elsewhere], live: [...liveOnes, { ...elsewhere, workspace: 'acme' }] };
    const named = setting(all);
    const options = { mode: 'semantic', limit: 3 };
    expect(idsOf(await retrieve({ options: { ...options, collections: ['kb', 'other', 'kb'] } }, named.ports))).toEqual(
      ['a:0', 'e:0', 'b:0'],
    );
    expect(named.encoded.length).toBe(1);
    const none = setting(all);
    const { hits } = await retrieve({ options: { ...options, collections: [] } }, none.ports);
    expect(hits.map(({ collection }) => collection)).toEqual(['kb', 'other', 'kb']);
  });

  it('by a vector of the caller needs no encoder, and answers in both forms', async () => {
    const { ports, encoded, searches } = setting();
    const result = await retrieve({ query: '', embeddings: { vector: at(10), limit: 2, collection: 'kb' } }, ports);
    expect(idsOf(result)).toEqual(['b:0', 'a:0']);
    expect(result.embeddings).toEqual({
      error: null,
      chunk_ids: ['b:0', 'a:0'],
      scores: result.hits.map(({ score }) => score),
    });
    expect(encoded).toEqual([]);
    expect(searches.map(({ list }) => list)).toEqual(['vector']);
  });

  it('echoes its continuation, and takes its time', async () => {
    const { ports } = setting();
    const result = await retrieve({ continuation: 'kept' }, ports);
    expect(result.continuation).toBe('kept');
    expect(result.milliseconds).toBeGreaterThan(0);
  });

  it('comes to a gateway in an envelope', async () => {
    const { ports } = setting();
    const reply = await retrieveForGateway({ options: { mode: 'semantic', limit: 1 } }, ports);
    expect(reply).toMatchObject({ kind: 'retrieval', retrieval: { hits: [{ chunk_id: 'a:0' }] } });
  });

  it('that says nowhere to answer is refused', async () => {
    const { ports } = setting();
    await expect(publish({}, ports, { 'reply-topic': 'documents-accepted' })).rejects.toThrow(SluiceError);
  });

  it('finds nothing by meaning for a query without one', async () => {
    const { ports } = setting();
    const { models } = fakeModels(new Float32Array(2));
    const blank = { ...ports, embeddingModels: models };
    expect(idsOf(await retrieve({ options: { mode: 'semantic' } }, blank))).toEqual([]);
    expect(idsOf(await retrieve({}, blank))).toHaveLength(3);
  });
});

describe('what is live', () => {
  const many = (count: number, versionHash: string, from: number): StoredPoint[] =>
    Array.from({ length: count }, (_, seq) => ({
      ...{ chunkId: `${versionHash}:${seq}`, documentId: 'x', seq, versionHash, collection: 'kb' },
      ...{ vector: at(from + seq / 1000), text: 'mill' },
    }));
  const live = [{ workspace: 'acme', collection: 'kb', documentId: 'x', versionHash: 'new' }];

  it('alone is found, however much dead stands before it, in rounds of four times as many', async () => {
    const { ports, searches, asked } = setting({ points: [...many(300, 'old', 0), ...many(3, 'new', 50)], live });
    const result = await retrieve({ options: { mode: 'semantic' } }, ports);
    expect(idsOf(result)).toEqual(['new:0', 'new:1', 'new:2']);
    expect(searches.map(({ limit }) => limit)).toEqual([50, 200, 800]);
    expect(asked).toEqual([['acme/kb/x']]); // once per document and search
  });

  it('stays as it was at the first look, though it changes during the search', async () => {
    const { ports } = setting({ points: [...many(60, 'old', 0), ...many(3, 'new', 50)], live });
    const { catalog } = ports;
    const liveAt = vi.spyOn(catalog, 'liveAt');
    liveAt.mockImplementationOnce((documents, t0) => {
      expect(t0).toEqual(new Date('2025-06-30T00:00:00Z'));
      return fakeCatalog(
        [],
        [{ ...live[0], workspace: 'acme', collection: 'kb', documentId: 'x', versionHash: 'old' }],
      ).catalog.liveAt(documents, t0);
    });
    const result = await retrieve({ options: { mode: 'semantic', limit: 63 } }, ports);
    expect(new Set(result.hits.map(({ version_hash: hash }) => hash))).toEqual(new Set(['old']));
    expect(result.hits).toHaveLength(60);
  });

  it('does not concern points without a document', async () => {
    const orphan = { chunkId: 'foreign', documentId: '', seq: 0, collection: 'kb', vector: at(1), source: 'import' };
    const { ports } = setting({ points: [...points, orphan] });
    const { hits } = await retrieve({ options: { mode: 'semantic', limit: 2 } }, ports);
    expect(hits).toMatchObject([
      { chunk_id: 'foreign', orphaned: true, version_hash: '', source: 'import', metadata: '{}' },
      { chunk_id: 'a:0', orphaned: false },
    ]);
  });

  it('ranks as if the dead were not there', async () => {
    const dead = {
      chunkId: 'z:0',
      documentId: 'z',
      seq: 0,
      versionHash: 'z',
      collection: 'kb',
      vector: at(0),
      text: 'mill',
    };
    const options = { explain: false, fusion: 'rrf' };
    const without = await retrieve({ options }, setting().ports);
    const withDead = await retrieve({ options }, setting({ points: [dead, ...points] }).ports);
    expect(idsOf(withDead)).toEqual(idsOf(without));
  });
});

describe('a retrieval that is refused, before it costs anything', () => {
  const cases: [string, Request, string, RegExp][] = [
    ['an empty query', { query: ' \n' }, 'invalid-argument', /query is empty/],
    ['a query that is a book', { query: 'x'.repeat(40_000) }, 'invalid-argument', /40000 bytes; at most 32768/],
    ['limit 0', { options: { limit: 0 } }, 'invalid-argument', /limit 0 is not a whole number from 1 to 1000/],
    ['a negative limit', { options: { limit: -1 } }, 'invalid-argument', /limit -1/],
    ['a limit over 1,000', { options: { limit: 1001 } }, 'invalid-argument', /limit 1001/],
    ['an unknown mode', { options: { mode: 'magic' } }, 'invalid-argument', /mode "magic" is unknown/],
    ['min_score with hybrid', { options: { min_score: 0.5 } }, 'invalid-argument', /no absolute scale/],
    ['min_score 0 with hybrid', { options: { min_score: 0 } }, 'invalid-argument', /no absolute scale/],
    [
      'a min_score that is no cosine',
      { options: { mode: 'semantic', min_score: 1.5 } },
      'invalid-argument',
      /from -1 to 1/,
    ],
    ['an unknown fusion', { options: { fusion: 'sum' } }, 'invalid-argument', /fusion "sum" is unknown/],
    ['fusion of one list', { options: { mode: 'semantic', fusion: 'rrf' } }, 'invalid-argument', /mode hybrid only/],
    [
      'a weight of one list',
      { options: { mode: 'lexical', dense_weight: 0.5 } },
      'invalid-argument',
      /mode hybrid only/,
    ],
    ['a weight over 1', { options: { dense_weight: 1.5 } }, 'invalid-argument', /dense_weight 1.5/],
    ['two rankings', { options: { rank: 'mmr,recency' } }, 'invalid-argument', /use one of mmr, recency, rerank/],
    ['λ over 1', { options: { rank: 'mmr', mmr_lambda: 2 } }, 'invalid-argument', /mmr_lambda 2/],
    ['λ without MMR', { options: { mmr_lambda: 0.5 } }, 'invalid-argument', /rank mmr only/],
    [
      'a half-life of nothing',
      { options: { rank: 'recency', half_life_days: 0 } },
      'invalid-argument',
      /half_life_days 0/,
    ],
    ['a half-life without recency', { options: { half_life_days: 9 } }, 'invalid-argument', /rank recency only/],
    ['a cap of 0', { options: { cap_per_source: 0 } }, 'invalid-argument', /cap_per_source 0/],
    ['an unknown collection', { options: { collections: ['kb', 'no'] } }, 'collection-not-found', /no collection "no"/],
    ['another workspace’s collection', { options: { collections: ['secret'] } }, 'collection-not-found', /"secret"/],
    [
      'a workspace without collections',
      { workspace: 'empty', options: { collections: [] } },
      'collection-not-found',
      /load documents/,
    ],
    ['rerank without a reranker', { options: { rank: 'rerank' } }, 'unsupported', /none is configured/],
    [
      'a vector of another width',
      { embeddings: { vector: new Float32Array(3), limit: 1, collection: 'kb' } },
      'space-mismatch',
      /3 dimensions.*plane\/2/,
    ],
    [
      'a zero vector',
      { embeddings: { vector: new Float32Array(2), limit: 1, collection: 'kb' } },
      'invalid-argument',
      /zero/,
    ],
    [
      'a vector with NaN',
      { embeddings: { vector: Float32Array.of(1, NaN), limit: 1, collection: 'kb' } },
      'invalid-argument',
      /finite/,
    ],
  ];

  it.each(cases)('%s', async (_, request, code, message) => {
    const { ports, encoded, searches } = setting();
    const { error, hits, embeddings } = await retrieve(request, ports);
    expect(error?.code).toBe(code);
    expect(error?.message).toMatch(message);
    expect(hits).toEqual([]);
    if (request.embeddings) expect(embeddings?.error).toEqual(error);
    expect([encoded, searches]).toEqual([[], []]);
  });

  it('collections of two spaces, naming both', async () => {
    const { ports, encoded } = setting();
    const large = { id: 'large', model: 'large', dimensions: 1536 };
    const { catalog } = fakeCatalog([collectionRecord('kb'), collectionRecord('big', { space: large })], []);
    for (const collections of [['kb', 'big'], []]) {
      const { error } = await retrieve({ options: { collections } }, { ...ports, catalog });
      expect(error?.code).toBe('space-mismatch');
      expect(error?.message).toMatch(/"kb" uses plane\/2.*"big" uses large\/1536/);
    }
    expect(encoded).toEqual([]);
  });

  it('a space that no configured model encodes for', async () => {
    const { ports, searches } = setting();
    const { models, encoded } = fakeModels(at(0), { space: { ...space, id: 'another' } });
    const { error } = await retrieve({}, { ...ports, embeddingModels: models });
    expect(error?.code).toBe('space-mismatch');
    expect([encoded, searches]).toEqual([[], []]);
  });
});

describe('a list that fails', () => {
  const down = new SluiceError('unavailable', 'it does not answer');
  const without = (list: 'searchTerms' | 'searchVector', error: Error = down) => {
    const all = setting();
    vi.spyOn(all.ports.vectorStore, list).mockRejectedValue(error);
    return all;
  };

  it('fails the request, at once', async () => {
    for (const list of ['searchTerms', 'searchVector'] as const) {
      expect(await retrieve({}, without(list).ports)).toMatchObject({
        error: { code: 'unavailable', message: 'it does not answer' },
        ...{ hits: [], missing_lists: [] },
      });
    }
  });

  it('is left out with degrade, and named', async () => {
    const lexicalDown = await retrieve({ options: { degrade: true } }, without('searchTerms').ports);
    expect(idsOf(lexicalDown)).toEqual(['a:0', 'b:0', 'c:0', 'd:0']);
    expect(lexicalDown.missing_lists).toEqual(['lexical']);
    const vectorDown = await retrieve({ options: { degrade: true } }, without('searchVector').ports);
    expect(new Set(idsOf(vectorDown))).toEqual(new Set(['b:0', 'c:0', 'd:0']));
    expect(vectorDown.missing_lists).toEqual(['vector']);
  });

  it('may be the encoder', async () => {
    const { ports } = setting();
    const { models } = fakeModels(at(0), { embedQuery: () => Promise.reject(down) });
    expect(await retrieve({}, { ...ports, embeddingModels: models })).toMatchObject({ error: { code: 'unavailable' } });
    const degraded = await retrieve({ options: { degrade: true } }, { ...ports, embeddingModels: models });
    expect(degraded).toMatchObject({ error: null, missing_lists: ['vector'] });
  });

  it('is an error with degrade too when nothing else is left', async () => {
    const both = without('searchTerms');
    vi.spyOn(both.ports.vectorStore, 'searchVector').mockRejectedValue(down);
    expect(await retrieve({ options: { degrade: true } }, both.ports)).toMatchObject({
      error: { code: 'unavailable' },
    });
    const only = without('searchVector');
    const semantic = { options: { degrade: true, mode: 'semantic' } };
    expect(await retrieve(semantic, only.ports)).toMatchObject({ error: { code: 'unavailable' } });
  });

  it('is never done without because the store cannot do it at all', async () => {
    const { ports } = without('searchTerms', new SluiceError('unsupported-mode', 'no lexical search here'));
    expect(await retrieve({ options: { degrade: true } }, ports)).toMatchObject({
      error: { code: 'unsupported-mode' },
    });
  });

  it('may answer with scores that are no numbers', async () => {
    const { ports } = setting();
    const broken = { chunkId: 'a', documentId: 'a', seq: 0, source: '', score: NaN };
    vi.spyOn(ports.vectorStore, 'searchVector').mockResolvedValue([broken]);
    expect(await retrieve({}, ports)).toMatchObject({ error: { code: 'invalid-response' } });
  });

  it('may be a query vector of another width, or one that is no number', async () => {
    for (const vector of [new Float32Array(3).fill(1), Float32Array.of(1, NaN)]) {
      const { ports } = setting();
      const { models } = fakeModels(vector);
      const { error } = await retrieve({}, { ...ports, embeddingModels: models });
      expect(error?.code).toBe('invalid-response');
    }
  });

  it('is left to the runtime when nobody expected it', async () => {
    const { ports } = without('searchVector', new TypeError('x is not a function'));
    await expect(retrieve({}, ports)).rejects.toThrow(TypeError);
  });

  it('says nothing when the asker has left', async () => {
    const asker = new AbortController();
    const { ports } = setting();
    const { models } = fakeModels(at(0), {
      embedQuery() {
        asker.abort(new Error('the asker left'));
        return Promise.reject(down);
      },
    });
    const left = retrieve({}, { ...ports, embeddingModels: models, signal: asker.signal });
    await expect(left).rejects.toThrow();
  });
});

describe('a filter', () => {
  const dated = points.map((point, index) => ({
    ...point,
    attributes: { year: 2020 + index, tag: ['all', point.documentId] },
  }));
  const filtered = () => {
    const all = setting({ points: dated });
    const values = vi.spyOn(all.ports.catalog, 'attributeValues').mockImplementation((workspace, collection, key) => {
      expect([workspace, collection]).toEqual(['acme', 'kb']);
      return Promise.resolve(
        key === 'year'
          ? [2020, 2021, 2022, 2023]
          : [
              ['all', 'a'],
              ['all', 'b'],
            ],
      );
    });
    return { ...all, values };
  };

  it('is applied by the store, before the best are cut', async () => {
    const { ports, searches, values } = filtered();
    expect(idsOf(await retrieve({ options: { mode: 'semantic', limit: 1, where: 'tag=c' } }, ports))).toEqual(['c:0']);
    expect(values).not.toHaveBeenCalled();
    expect(searches).toHaveLength(1);
  });

  it('by pattern or order becomes the values that the collection has', async () => {
    const { ports, searches } = filtered();
    const { hits } = await retrieve({ options: { mode: 'semantic', where: 'year>=2022' } }, ports);
    expect(hits.map(({ chunk_id: id }) => id)).toEqual(['c:0', 'd:0']);
    expect(searches[0]?.filter).toEqual({ kind: 'in', key: 'year', values: [2022, 2023], exact: true });
  });

  it('of the asker can only narrow the one of the key', async () => {
    const { ports } = filtered();
    const options = { mode: 'semantic', required_where: 'year<2022' };
    expect(idsOf(await retrieve({ options: { ...options, where: 'tag=all' } }, ports))).toEqual(['a:0', 'b:0']);
    expect(idsOf(await retrieve({ options: { ...options, where: 'tag=d' } }, ports))).toEqual([]);
    expect(idsOf(await retrieve({ options }, ports))).toEqual(['a:0', 'b:0']);
  });

  it('that is wrong is an error that names the clause, and no store is asked', async () => {
    const { ports, searches, encoded } = filtered();
    const { error } = await retrieve({ options: { where: 'author!' } }, ports);
    expect(error?.code).toBe('invalid-argument');
    expect(error?.message).toContain('author!');
    expect([searches, encoded]).toEqual([[], []]);
  });

  it('of the key that is wrong, or cannot be evaluated, shows nothing of itself, and no store is asked', async () => {
    for (const required_where of ['secret!', 'secret~x*']) {
      const { ports, searches, values } = filtered();
      values.mockResolvedValue(Array.from({ length: 10_001 }, (_, i) => i));
      const { error } = await retrieve({ options: { required_where } }, ports);
      expect(error?.code).toBe('forbidden');
      expect(error?.message).not.toContain('secret');
      expect(searches).toEqual([]);
    }
  });

  it('that cannot be evaluated because the catalog does not answer is unavailable', async () => {
    const { ports, values } = filtered();
    values.mockRejectedValue(new SluiceError('unavailable', 'the catalog does not answer'));
    const { error } = await retrieve({ options: { required_where: 'year<2022' } }, ports);
    expect(error?.code).toBe('unavailable');
  });
});
