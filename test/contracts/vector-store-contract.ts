import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../services/domain/filter/evaluate.js';
import { expandFilter } from '../../services/domain/filter/expand-filter.js';
import { compareBytes, pointId } from '../../services/domain/identity.js';
import { bm25 } from '../../services/domain/lexical/bm25.js';
import type { Point, VectorScope, VectorStore } from '../../services/ports/vector-store/port.js';
import { arbitraryAttributes, arbitraryFilter } from '../services/domain/filter/arbitrary.js';
import { cosine, pointOf, randomPoints, scopeOf, versionOf } from './vector-store-points.js';

/** Where a store's BM25 is not that of the reference. */
interface Bm25Limits {
  /** What it takes for the average length, if not that of its chunks. */
  readonly averageLength?: number;
  /** Whether what was deleted, and chunks without terms, count in idf as it pleases. */
  readonly approximateIdf?: true;
}

/** What every vector store does. `open` gives an empty one. */
export function describeVectorStoreContract(
  name: string,
  open: () => Promise<{ readonly store: VectorStore; remove(): Promise<void> }>,
  /** Resolves when scores are as exact as the store can make them. */
  settled: (scope: VectorScope) => Promise<void>,
  bm25Limits: Bm25Limits = {},
): void {
  describe(`vector store contract: ${name}`, () => {
    let store: VectorStore;
    let remove: () => Promise<void>;
    const all = { limit: 100 };
    const ids = (points: readonly { readonly chunkId: string }[]): string[] => points.map(({ chunkId }) => chunkId);

    beforeAll(async () => ({ store, remove } = await open()));
    afterAll(async () => {
      await store.close();
      await remove();
    });

    it('finds nothing, counts nothing and removes nothing where nothing was written', async () => {
      const scope = scopeOf('empty');
      expect(await store.searchVector(scope, Float32Array.of(1, 0, 0, 0), all)).toEqual([]);
      expect(await store.searchTerms(scope, ['a'], all)).toEqual([]);
      expect(await store.count(scope)).toBe(0);
      expect((await store.vectors(scope, ['x:0'])).size).toBe(0);
      await store.delete(scope, { all: true });
      await store.delete(scope, { versionHash: versionOf(1) });
      await store.setAttributes(scope, versionOf(1), {});
      for await (const point of store.scan(scope)) expect.unreachable(point.chunkId);
    });

    it('shares nothing between workspaces, collections and spaces', async () => {
      const scopes = [
        scopeOf('b_c', { workspace: 'a' }),
        scopeOf('c', { workspace: 'a_b' }),
        scopeOf('papers'),
        scopeOf('papers_old'),
        scopeOf('papers', { space: 'other' }),
      ];
      for (const [index, scope] of scopes.entries()) {
        await store.upsert(scope, [pointOf(index, { terms: ['shared', `only${index}`] })]);
      }
      for (const [index, scope] of scopes.entries()) {
        expect(await store.count(scope)).toBe(1);
        expect(ids(await store.searchTerms(scope, ['shared'], all))).toEqual([pointOf(index).chunkId]);
        expect(ids(await store.searchVector(scope, pointOf(0).vector, all))).toEqual([pointOf(index).chunkId]);
      }
      await store.delete(scopeOf('papers'), { all: true });
      expect(await store.count(scopeOf('papers'))).toBe(0);
      expect(await store.count(scopeOf('papers_old'))).toBe(1);
      expect(await store.count(scopeOf('papers', { space: 'other' }))).toBe(1);
      await store.upsert(scopeOf('papers'), [pointOf(7)]);
      expect(await store.count(scopeOf('papers'))).toBe(1);
    });

    it('gives back what it was given of a point, and replaces by point id', async () => {
      const scope = scopeOf('replace');
      const first = pointOf(0, { terms: ['old'], source: 'file:///a b.md', documentId: 'd/1' });
      await store.upsert(scope, [first, first, pointOf(1, { terms: ['old'] })]);
      expect(await store.count(scope)).toBe(2);
      await store.upsert(scope, [{ ...first, terms: ['new'], vector: Float32Array.of(0, 0, 2, 0) }]);
      expect(await store.count(scope)).toBe(2);
      expect(ids(await store.searchTerms(scope, ['old'], all))).toEqual([pointOf(1).chunkId]);
      const [hit] = await store.searchVector(scope, Float32Array.of(0, 0, 1, 0), { limit: 1, withVectors: true });
      const { chunkId, documentId, versionHash, seq, source } = first;
      expect(hit).toMatchObject({ chunkId, documentId, versionHash, seq, source });
      expect(hit?.score).toBeCloseTo(1, 6);
      expect(cosine(hit?.vector ?? new Float32Array(4), Float32Array.of(0, 0, 1, 0))).toBeCloseTo(1, 6);
      const vectors = await store.vectors(scope, [first.chunkId, 'unknown:0']);
      expect([...vectors.keys()]).toEqual([first.chunkId]);
    });

    it('takes imported points, which have no version', async () => {
      const scope = scopeOf('imports');
      const { versionHash, ...foreign } = pointOf(0, { chunkId: 'their id', importId: 'i1', generation: 3 });
      await store.upsert(scope, [foreign, pointOf(1)]);
      const hits = await store.searchVector(scope, foreign.vector, all);
      expect(hits.find(({ chunkId }) => chunkId === 'their id')).not.toHaveProperty('versionHash');
      expect(await store.count(scope, { importId: 'i1' })).toBe(1);
      await store.delete(scope, { importId: 'i1' });
      expect(ids(await store.searchVector(scope, foreign.vector, all))).toEqual([pointOf(1).chunkId]);
      expect(versionHash).toBeDefined();
    });

    it('refuses vectors of another width, names both, and writes nothing of the batch', async () => {
      const scope = scopeOf('widths');
      const wrong = { ...pointOf(1), vector: new Float32Array(3) };
      const refusal = { code: 'space-mismatch', message: expect.stringMatching(/3 dimensions.*has 4/) as string };
      await expect(store.upsert(scope, [pointOf(0), wrong])).rejects.toMatchObject(refusal);
      expect(await store.count(scope)).toBe(0);
      await expect(store.searchVector(scope, new Float32Array(3), all)).rejects.toMatchObject(refusal);
    });

    it('ranks by exact cosine, best first, ties by chunk id in byte order, whatever the limit', async () => {
      const scope = scopeOf('cosine', { dimensions: 16 });
      const points = randomPoints(400, 16);
      const twins = Array.from({ length: 150 }, (_, index) => ({
        ...pointOf(1000 + index),
        vector: Float32Array.from({ length: 16 }, (_, at) => (at === 0 ? 5 : 0)),
      }));
      await store.upsert(scope, [...points, ...twins]);
      const query = Float32Array.from({ length: 16 }, (_, at) => Math.cos(at));
      const expected = [...points, ...twins]
        .map(({ chunkId, vector }) => ({ chunkId, score: cosine(query, vector) }))
        .sort((a, b) => b.score - a.score || compareBytes(a.chunkId, b.chunkId));
      for (const limit of [1, 10, 549, 10_000]) {
        const hits = await store.searchVector(scope, query, { limit });
        expect(hits).toHaveLength(Math.min(limit, 550));
        hits.forEach((hit, index) => expect(hit.score).toBeCloseTo(expected[index]?.score ?? NaN, 5));
      }
      const best = await store.searchVector(scope, twins[0]?.vector ?? query, { limit: 20 });
      expect(ids(best)).toEqual(ids(twins).sort(compareBytes).slice(0, 20));
    });

    it('gives a zero vector the score 0', async () => {
      const scope = scopeOf('zero');
      await store.upsert(scope, [{ ...pointOf(0), vector: new Float32Array(4) }, pointOf(1)]);
      const hits = await store.searchVector(scope, pointOf(1).vector, all);
      expect(hits.map(({ score }) => Math.round(score * 1e6) / 1e6)).toEqual([1, 0]);
      expect(await store.searchVector(scope, new Float32Array(4), all)).toHaveLength(2);
    });

    it('ranks terms by BM25 over the union of unique terms, also after replacing and deleting', async () => {
      // Of its own space: a store may count terms over all of a space.
      const scope = scopeOf('bm25', { space: 'bm25' });
      const words = ['7.3.2', 'aura-7', 'café', 'ภาษา', "o'brien", 'a', 'b', 'c', '"', '*', 'AND', '(x', '天気'];
      const texts = new Map(
        Array.from({ length: 60 }, (_, row) => [
          row,
          Array.from({ length: 1 + ((row * 7) % 23) }, (_, at) => words[(row * row + at * 5) % words.length] ?? ''),
        ]),
      );
      const matches = async (exactly: boolean): Promise<void> => {
        await settled(scope);
        for (const query of [
          ['a'],
          ['7.3.2', 'aura-7'],
          ['a', 'a', 'b', 'unknown'],
          ['"'],
          ['AND', '*', '(x'],
          words,
          ['ภาษา', '天気'],
        ]) {
          const scores = bm25(query, [...texts.values()], bm25Limits.averageLength);
          const expected = new Map(
            [...texts.keys()].flatMap((row, index): [string, number][] => {
              const score = scores[index] ?? 0;
              return score > 0 ? [[pointOf(row).chunkId, score]] : [];
            }),
          );
          const hits = await store.searchTerms(scope, query, all);
          expect(ids(hits).sort()).toEqual([...expected.keys()].sort());
          for (const { chunkId, score } of exactly ? hits : []) {
            expect(score).toBeCloseTo(expected.get(chunkId) ?? NaN, 3);
          }
          expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((x, y) => y - x));
        }
      };
      const write = async (row: number, terms: string[]): Promise<void> => {
        texts.set(row, terms);
        await store.upsert(scope, [pointOf(row, { terms })]);
      };
      await store.upsert(
        scope,
        [...texts].map(([row, terms]) => pointOf(row, { terms })),
      );
      await write(3, ['a', 'replaced']);
      if (bm25Limits.approximateIdf === true) await matches(true);
      await write(60, []);
      await store.delete(scope, { versionHash: versionOf(5) });
      texts.delete(5);
      await matches(bm25Limits.approximateIdf !== true);
      expect(await store.searchTerms(scope, [], all)).toEqual([]);
      expect(await store.searchTerms(scope, ['unknown'], all)).toEqual([]);
    });

    it('finds by terms at once what was just written, and never what was replaced or deleted', async () => {
      const scope = scopeOf('fresh');
      await store.upsert(scope, [pointOf(0, { terms: ['a'] })]);
      await settled(scope);
      await store.upsert(scope, [pointOf(1, { terms: ['a'] }), pointOf(0, { terms: ['b'] })]);
      expect(ids(await store.searchTerms(scope, ['a'], all))).toEqual([pointOf(1).chunkId]);
      await store.delete(scope, { pointIds: [pointOf(1).pointId] });
      expect(await store.searchTerms(scope, ['a'], all)).toEqual([]);
    });

    it('filters before the top is cut, as the reference evaluates, on both lists', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(arbitraryAttributes, { minLength: 1, maxLength: 20 }),
          fc.array(arbitraryFilter, { minLength: 1, maxLength: 8 }),
          async (rows, filters) => {
            const scope = scopeOf(`filters-${run++}`);
            await store.upsert(
              scope,
              rows.map((attributes, row) => pointOf(row, { attributes, terms: ['a'] })),
            );
            for (const filter of filters) {
              const expanded = await expandFilter(filter, (key) => Promise.resolve(rows.map((row) => row[key])));
              const expected = rows
                .flatMap((attributes, row) => (evaluate(filter, attributes) ? [pointOf(row).chunkId] : []))
                .sort();
              const options = { limit: Math.max(1, expected.length), filter: expanded };
              expect(ids(await store.searchVector(scope, pointOf(0).vector, options)).sort()).toEqual(expected);
              expect(ids(await store.searchTerms(scope, ['a'], options)).sort()).toEqual(expected);
            }
            await store.delete(scope, { all: true });
          },
        ),
        { numRuns: 12 },
      );
    });

    it('takes a filter of 10,000 values', async () => {
      const scope = scopeOf('many-values');
      await store.upsert(scope, [pointOf(0, { attributes: { n: 5 } }), pointOf(1, { attributes: { n: -1 } })]);
      const filter = { kind: 'in', key: 'n', values: Array.from({ length: 10_000 }, (_, n) => n) } as const;
      expect(ids(await store.searchVector(scope, pointOf(0).vector, { limit: 5, filter }))).toEqual([
        pointOf(0).chunkId,
      ]);
    });

    it('replaces the attributes of one version', async () => {
      const scope = scopeOf('attributes');
      const attributes = { state: 'draft' };
      await store.upsert(scope, [pointOf(0, { attributes, terms: ['a'] }), pointOf(1, { attributes, terms: ['a'] })]);
      const filter = { kind: 'compare', key: 'state', operator: '=', operand: 'draft' } as const;
      await store.setAttributes(scope, versionOf(0), { state: "it's done", n: [1, 2] });
      expect(ids(await store.searchVector(scope, pointOf(0).vector, { limit: 5, filter }))).toEqual([
        pointOf(1).chunkId,
      ]);
      expect(ids(await store.searchTerms(scope, ['a'], { limit: 5, filter }))).toEqual([pointOf(1).chunkId]);
      const done = { ...filter, operand: "it's done" };
      expect(ids(await store.searchTerms(scope, ['a'], { limit: 5, filter: done }))).toEqual([pointOf(0).chunkId]);
      await store.setAttributes(scope, versionOf(0), {});
      expect(await store.searchTerms(scope, ['a'], { limit: 5, filter: done })).toEqual([]);
      expect(await store.count(scope)).toBe(2);
    });

    it('keeps hostile strings apart', async () => {
      const scope = scopeOf('hostile');
      const hostile = ["'", "''", '"; drop table x', '\\', '%', '_', 'ö'.repeat(300), '𝒳', '\u0001', ' '];
      const points = hostile.map((text, row) =>
        pointOf(row, { chunkId: text, pointId: pointId(text), documentId: text, source: text }),
      );
      await store.upsert(scope, points);
      expect(ids(await store.searchVector(scope, pointOf(0).vector, all)).sort()).toEqual([...hostile].sort());
      expect((await store.vectors(scope, hostile)).size).toBe(hostile.length);
      await store.delete(scope, { pointIds: ["'", '%'].map(pointId) });
      expect(await store.count(scope)).toBe(hostile.length - 2);
      expect(await store.count(scope, { pointIds: ["'", '_'].map(pointId) })).toBe(1);
    });

    it('takes concurrent upserts of many small documents, and scans all of them', async () => {
      const scope = scopeOf('many');
      const points = Array.from({ length: 1000 }, (_, row) => pointOf(row, { terms: ['a', `w${row}`] }));
      await Promise.all(points.map((point) => store.upsert(scope, [point])));
      expect(await store.count(scope)).toBe(1000);
      const scanned: string[] = [];
      for await (const { pointId: id, versionHash } of store.scan(scope)) {
        scanned.push(id);
        expect(versionHash).toBeDefined();
      }
      expect(scanned.sort()).toEqual(points.map((point) => point.pointId).sort());
      await store.delete(scope, { pointIds: scanned.slice(0, 999) });
      expect(await store.count(scope)).toBe(1);
    });

    it('stays right at 20,000 points', async () => {
      const scope = scopeOf('large', { dimensions: 32 });
      const points: Point[] = randomPoints(20_000, 32);
      for (let start = 0; start < points.length; start += 2500) {
        await store.upsert(scope, points.slice(start, start + 2500));
      }
      const query = points[777]?.vector ?? new Float32Array(32);
      const expected = points
        .map(({ chunkId, vector, attributes }) => ({ chunkId, attributes, score: cosine(query, vector) }))
        .sort((a, b) => b.score - a.score);
      const hits = await store.searchVector(scope, query, { limit: 50 });
      expect(ids(hits)).toEqual(ids(expected).slice(0, 50));
      const filter = { kind: 'compare', key: 'group', operator: '=', operand: 7 } as const;
      const filtered = await store.searchVector(scope, query, { limit: 50, filter });
      expect(ids(filtered)).toEqual(ids(expected.filter(({ attributes }) => attributes['group'] === 7)).slice(0, 50));
      expect(ids(await store.searchTerms(scope, ['word777'], { limit: 5 }))).toEqual([points[777]?.chunkId]);
    });

    it('is marked with the id of its installation', async () => {
      expect(await store.installationId()).toBeUndefined();
      await store.markInstallation('one');
      expect(await store.installationId()).toBe('one');
    });
  });
}
