import { mkdir } from 'node:fs/promises';
import { describeSpace } from '../../../domain/embedding-space.js';
import { SluiceError } from '../../../domain/errors.js';
import { bestOf } from '../best-of.js';
import { entriesOf } from '../entries.js';
import type { PointSelector, ScoredPoint, SearchOptions, VectorScope, VectorStore } from '../port.js';
import { guarded } from './failures.js';
import { readInstallation, writeInstallation } from './installation.js';
import { lancedb } from './native.js';
import { OpenScopes } from './open-scopes.js';
import { literal, predicateOf, selectorPredicate } from './predicate.js';
import { unitLength } from './rows.js';
import { hitColumns, hitsOf, vectorAt } from './search.js';
import { defaultExactFloats, indexPartitions, refineFactor } from './vector-index.js';
import type { ScopeTables } from './scope-tables.js';

/** The engine's own bounds are 6 GB and 1 GB, which no other part of the process would survive. */
const indexCacheBytes = 64n << 20n;
const metadataCacheBytes = 32n << 20n;
/** Ids in one predicate. */
const maxIdsPerPredicate = 1000;

export interface LanceDbOptions {
  readonly folder: string;
  /** The size of a scope, in rows times dimensions, up to which every vector is compared exactly. */
  readonly exactFloats?: number;
}

/**
 * A vector store in a folder, on LanceDB. Points of different workspaces, collections or spaces stand in different
 * tables; attributes are filtered inside the engine before the top is cut; a write is on disk when it resolves. One
 * process may own the folder at a time.
 *
 * BM25's statistics are those of one index when it covers every row: at rest, and at once where a tenth of a second
 * suffices to bring it up to date. Else rows that are not yet in it are found too, with statistics of their own. Rows
 * removed or written over count in them, as in other full-text engines, until their part of the table is compacted.
 */
export async function createLanceDbVectorStore({
  folder,
  exactFloats = defaultExactFloats,
}: LanceDbOptions): Promise<VectorStore> {
  await mkdir(folder, { recursive: true });
  const session = new lancedb.Session(indexCacheBytes, metadataCacheBytes);
  const connect = () => lancedb.connect(folder, {}, session);
  (await connect()).close(); // says at once if that is no folder for it
  const scopes = new OpenScopes({ connect, exactFloats }, folder);

  return {
    async upsert(scope, points) {
      for (const { chunkId, vector } of points) requireWidth(scope, vector, `chunk ${chunkId}`);
      if (points.length > 0) await scopes.write(scope, ({ queue }) => queue.upsert(points));
    },

    searchVector: async (scope, vector, options) => {
      requireWidth(scope, vector, 'the query');
      const query = Array.from(unitLength(vector));
      const columns = [...hitColumns, '_distance', ...(options.withVectors === true ? ['vector'] : [])];
      return search(scope, options, async ({ vectors }, limit, where) => {
        const nearest = vectors
          .query()
          .nearestTo(query)
          .distanceType('dot')
          .nprobes(indexPartitions)
          .refineFactor(refineFactor(vector.length))
          .select(columns)
          .limit(limit);
        const rows = await (where === undefined ? nearest : nearest.where(where)).toArrow();
        return hitsOf(rows, '_distance', (distance) => Math.min(1, Math.max(-1, 1 - distance)));
      });
    },

    searchTerms: async (scope, terms, options) => {
      if (terms.length === 0) return [];
      const query = new lancedb.MatchQuery([...new Set(terms)].join(' '), 'terms');
      const columns = [...hitColumns, '_score'];
      const points = await search(scope, options, async (tables, limit, where) => {
        await tables.settle();
        const best = tables.terms.query().fullTextSearch(query).select(columns).limit(limit);
        const rows = await (where === undefined ? best : best.where(where)).toArrow();
        return hitsOf(rows, '_score', (score) => score);
      });
      if (options.withVectors !== true || points.length === 0) return points;
      const vectors = await vectorsOf(
        scope,
        points.map(({ chunkId }) => chunkId),
      );
      return points.map((point) => {
        const vector = vectors.get(point.chunkId);
        return vector === undefined ? point : { ...point, vector };
      });
    },

    vectors: (scope, chunkIds) => vectorsOf(scope, chunkIds),

    setAttributes: (scope, versionHash, attributes) =>
      change(scope, async ({ vectors, terms, queue }) => {
        const entries = `arrow_cast([${entriesOf(attributes).map(literal).join(', ')}], 'List(Utf8)')`;
        const update = { where: `version_hash = ${literal(versionHash)}`, valuesSql: { entries } };
        await queue.run(async () => {
          await Promise.all([vectors.update(update), terms.update(update)]);
        });
      }),

    delete: (scope, selector) =>
      'all' in selector
        ? scopes.drop(scope)
        : change(scope, async ({ queue }) => {
            await Promise.all(parts(selector).map((part) => queue.remove(selectorPredicate(part) ?? 'true')));
          }),

    count: async (scope, selector) =>
      (await scopes.read(scope, async ({ vectors }) => {
        const counts = parts(selector ?? { all: true }).map((part) => vectors.countRows(selectorPredicate(part)));
        return (await Promise.all(counts)).reduce((total, count) => total + count, 0);
      })) ?? 0,

    async *scan(scope) {
      const columns = ['point_id', 'chunk_id', 'version_hash'];
      const query = await scopes.read(scope, ({ vectors }) => Promise.resolve(vectors.query().select(columns)));
      for await (const batch of query ?? []) {
        for (let row = 0; row < batch.numRows; row++) {
          const [pointId, chunkId, versionHash] = columns.map((name) => batch.getChild(name)?.get(row) as unknown);
          yield {
            pointId: String(pointId),
            chunkId: String(chunkId),
            ...(typeof versionHash === 'string' ? { versionHash } : {}),
          };
        }
      }
    },

    installationId: () => readInstallation(folder),
    markInstallation: (id) => guarded(folder, () => writeInstallation(folder, id)),

    close: () => scopes.close(),
  };

  async function search(
    scope: VectorScope,
    { limit, filter, signal }: SearchOptions,
    fetch: (tables: ScopeTables, limit: number, where: string | undefined) => Promise<readonly ScoredPoint[]>,
  ): Promise<readonly ScoredPoint[]> {
    const where = filter === undefined ? undefined : predicateOf(filter);
    const best = await scopes.read(scope, (tables) =>
      bestOf(limit, (wanted) => {
        signal?.throwIfAborted();
        return fetch(tables, wanted, where);
      }),
    );
    return best ?? [];
  }

  async function vectorsOf(
    scope: VectorScope,
    chunkIds: readonly string[],
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    await scopes.read(scope, async (tables) => {
      for (const ids of slices(chunkIds)) {
        const wanted = `chunk_id IN (${ids.map(literal).join(', ')})`;
        const rows = await tables.vectors.query().where(wanted).select(['chunk_id', 'vector']).toArrow();
        const vectors = rows.getChild('vector');
        for (let row = 0; row < rows.numRows; row++) {
          if (vectors !== null) found.set(String(rows.getChild('chunk_id')?.get(row)), vectorAt(vectors, row));
        }
      }
    });
    return found;
  }

  /** Nothing to change where nothing was written. */
  async function change(scope: VectorScope, apply: (tables: ScopeTables) => Promise<void>): Promise<void> {
    await scopes.read(scope, async (tables) => {
      await apply(tables);
      tables.changed(1);
    });
  }
}

function requireWidth({ space }: VectorScope, vector: Float32Array, what: string): void {
  if (vector.length === space.dimensions) return;
  throw new SluiceError(
    'space-mismatch',
    `${what} has a vector of ${vector.length} dimensions; space ${describeSpace(space)} has ${space.dimensions}`,
  );
}

/** A selector in parts that each fit one predicate. */
const parts = (selector: PointSelector): readonly PointSelector[] =>
  'pointIds' in selector ? slices(selector.pointIds).map((pointIds) => ({ pointIds })) : [selector];

function slices(ids: readonly string[]): readonly (readonly string[])[] {
  const all: (readonly string[])[] = [];
  for (let start = 0; start < ids.length; start += maxIdsPerPredicate)
    all.push(ids.slice(start, start + maxIdsPerPredicate));
  return all;
}
