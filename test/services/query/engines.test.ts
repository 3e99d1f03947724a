import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { versionHash } from '../../../services/domain/identity.js';
import { openEngines } from './engines.js';
import { idsOf, retrieve } from './harness.js';

const versionOf = (documentId: string, version: number): string =>
  versionHash({ workspace: 'acme', collection: 'kb', documentId }, version);

/** On the engines that really run embedded: PGlite, LanceDB, the file system, the hashing model. */
describe('retrieval on the embedded engines', () => {
  let engines: Awaited<ReturnType<typeof openEngines>>;
  const hashes = new Map<string, string>();
  const chunk = (document: string, seq = 0): string => `${hashes.get(document) ?? ''}:${seq}`;

  beforeAll(async () => {
    engines = await openEngines();
    await engines.create('kb');
    await engines.create('other');
    await engines.create('kb', 'rival');
    const load = async (id: string, given: Parameters<typeof engines.load>[1]) => {
      hashes.set(id, await engines.load(id, given));
    };
    await load('mills', {
      texts: ['The mill by the river grinds corn.', 'Windmills turn on the hill.'],
      attributes: { year: 3, share: 0.75, tags: ['old', 'water'], draft: false },
    });
    await load('release', { texts: ['Release 7.3.2 of AURA-7 came out.'], attributes: { year: 4, owner: 'alice' } });
    await load('café', { texts: ['The caf\u00e9 opens at nine.', 'ตลาดน้ำเปิดทุกวันเสาร์', '図書館は九時に開きます。'] });
    await load('elsewhere', { collection: 'other', texts: ['A mill in another collection.'] });
    await engines.load('foreign', { workspace: 'rival', texts: ['A mill in another workspace.'] });
  });
  afterAll(async () => {
    await engines.close();
  });

  const search = async (query: string, options: Parameters<typeof retrieve>[0]['options'] = {}) =>
    retrieve({ query, options }, engines.ports);

  it.each(['semantic', 'lexical', 'hybrid'])('finds what is asked for: %s', async (mode) => {
    const result = await search('Which river mill grinds corn?', { mode });
    expect(idsOf(result)[0]).toBe(chunk('mills'));
    const scores = result.hits.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(result.hits[0]).toMatchObject({
      source: 'file:///mills',
      metadata: expect.stringContaining('"share":0.75') as string,
    });
  });

  it.each(['7.3.2', 'AURA-7', 'aura-7'])('finds the exact token %s', async (query) => {
    expect(idsOf(await search(query, { mode: 'lexical' }))).toEqual([chunk('release')]);
  });

  it.each(['caf\u00e9', 'cafe\u0301', 'CAF\u00c9'])('finds "café" in every form of writing it', async (query) => {
    expect(idsOf(await search(query, { mode: 'lexical' }))).toEqual([chunk('café')]);
  });

  it('finds words of languages that write none apart', async () => {
    expect(idsOf(await search('วันเสาร์', { mode: 'lexical' }))).toEqual([chunk('café', 1)]);
    expect(idsOf(await search('図書館', { mode: 'lexical' }))).toEqual([chunk('café', 2)]);
  });

  it('takes no query for syntax', async () => {
    for (const query of ['mill AND (', '"mill', 'mill*', '-mill', 'mill:river^2', "'; drop table points; --"]) {
      const { error } = await search(query);
      expect(error).toBeNull();
    }
    expect(idsOf(await search('-mill', { mode: 'lexical' }))).toContain(chunk('mills'));
  });

  it('gives all of them when the limit is larger than their number', async () => {
    expect(idsOf(await search('mill', { mode: 'semantic', limit: 15 }))).toHaveLength(6);
    expect(idsOf(await search('mill', { limit: 1000 }))).toHaveLength(6);
  });

  it('keeps collections and workspaces apart', async () => {
    const { hits } = await search('mill', { collections: [], limit: 100 });
    expect(new Set(hits.map(({ collection }) => collection))).toEqual(new Set(['kb', 'other']));
    expect(hits.map(({ document_id: id }) => id)).not.toContain('foreign');
    const only = await search('mill', { collections: ['other'] });
    expect(only.hits.map(({ document_id: id }) => id)).toEqual(['elsewhere']);
  });

  it.each([
    ['year=3', ['mills']],
    ['year=3.0', ['mills']],
    ['{"in": {"year": [3]}}', ['mills']],
    ['share=0.75', ['mills']],
    ['draft=false', ['mills']],
    ['tags=water', ['mills']],
    ['tags~WAT*', ['mills']],
    ['year>3', ['release']],
    ['year>=3 AND year<=4', ['mills', 'release']],
    ['owner!=alice', []],
    ['owner!=bob', ['release']],
  ])('filters by %s, types kept', async (where, documents) => {
    const { hits, error } = await search('mill release café', { where, limit: 20 });
    expect(error).toBeNull();
    expect(new Set(hits.map(({ document_id: id }) => id))).toEqual(new Set(documents));
  });

  it('diversifies with the vectors that the store keeps, also what only words found', async () => {
    for (const mode of ['semantic', 'lexical', 'hybrid']) {
      const { hits, error } = await search('mill', { mode, rank: 'mmr', explain: true });
      expect(error).toBeNull();
      expect(hits.length).toBeGreaterThan(0);
    }
  });

  it('explains with the words that matched', async () => {
    const { hits } = await search('corn mills', { explain: true, limit: 1 });
    const explained = JSON.parse(hits[0]?.explain ?? '') as { lexical: { terms: string[] } };
    expect(explained.lexical.terms).toEqual(['corn', 'mill']);
  });

  it('shows the old version until the new one is ready, then only the new one, though old points still stand', async () => {
    await engines.load('plan', { texts: ['The plan is plum.'] });
    await engines.load('plan', { texts: ['The plan is pear.'], version: 2, ready: false });
    const texts = async (): Promise<number[]> => {
      const { hits } = await search('What is the plan?', { mode: 'lexical' });
      return hits.map(({ version_hash: hash }) => [1, 2].find((version) => hash === versionOf('plan', version)) ?? 0);
    };
    expect(await texts()).toEqual([1]);
    const { id: space } = engines.ports.embeddingModels.default.space;
    await engines.commit(
      'plan',
      { kind: 'chunked', version: 2, packs: 1, chunks: 1 },
      { kind: 'indexed', version: 2, space, pack: 0, revision: 1 },
    );
    expect(await texts()).toEqual([2]);
    await engines.commit('plan', { kind: 'delete', operation: null, upTo: null });
    expect(await texts()).toEqual([]);
  });

  it('fills the limit past a crowd of dead chunks', async () => {
    const crowd = Array.from({ length: 120 }, (_, i) => `Quince number ${i}.`);
    await engines.load('quinces', { texts: crowd });
    await engines.load('quinces', { texts: ['One quince is left, among apples and other fruit.'], version: 2 });
    for (const mode of ['semantic', 'lexical', 'hybrid']) {
      const { hits } = await search('quince', { mode, limit: 1 });
      expect(hits[0]).toMatchObject({ document_id: 'quinces', version_hash: versionOf('quinces', 2) });
    }
  });
});
