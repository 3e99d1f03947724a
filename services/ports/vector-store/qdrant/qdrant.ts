import { readFile } from 'node:fs/promises';
import type { Schemas } from '@qdrant/js-client-rest';
import type { Static } from '@sinclair/typebox';
import { describeSpace } from '../../../domain/embedding-space.js';
import { SluiceError } from '../../../domain/errors.js';
import { bestOf } from '../best-of.js';
import { entriesOf } from '../entries.js';
import type { PointSelector, ScoredPoint, SearchOptions, VectorScope, VectorStore } from '../port.js';
import { QdrantServer } from './server.js';
import { Collections } from './collections.js';
import { conditionOf, inScope, selectorCondition } from './conditions.js';
import { MissingCollection } from './failures.js';
import { readInstallation, writeInstallation } from './installation.js';
import { denseOf, hitFields, hitOf, pendingPoint, textOf } from './points.js';
import type { qdrantConfig } from './qdrant-config.js';
import { queriedTerms } from './terms.js';
import { Writes } from './writes.js';

/** Ids in one condition. */
const maxIdsPerCondition = 1000;
const scrolledPoints = 1000;
/** Of an answer that brings vectors. */
const scrolledFloats = 200_000;

export type QdrantOptions = Static<typeof qdrantConfig>;

export interface QdrantVectorStore extends VectorStore {
  /**
   * The server's version, once it has shown that it is there and takes the API key. Throws unavailable, or
   * configuration-invalid for a server that is too old.
   */
  check(): Promise<{ readonly version: string }>;
}

/**
 * A vector store on a Qdrant server. The points of one embedding space stand in one Qdrant collection, those of a scope
 * apart by workspace and collection in every condition; attributes are filtered by the server before the top is cut; a
 * write is durable when it resolves. Any number of processes may use the server at once.
 *
 * BM25 counts terms over the whole embedding space and takes a constant for the average length: other collections move
 * scores, never which points match. Searches of many vectors are approximate, as the index is set up.
 */
export async function createQdrantVectorStore(options: QdrantOptions): Promise<QdrantVectorStore> {
  const { caFile, prefix, hnswEfSearch, quantisation } = options;
  const server = new QdrantServer({ ...options, ...(caFile === '' ? {} : { ca: await readFile(caFile, 'utf8') }) });
  const collections = new Collections(server, options);
  const writes = new Writes(server, collections, options);

  return {
    async upsert(scope, points) {
      for (const { chunkId, vector } of points) requireFit(scope, vector, `chunk ${chunkId}`);
      const latest = new Map(points.map((point) => [point.pointId, point]));
      await writes.upsert(
        scope.space,
        [...latest.values()].map((point) => pendingPoint(scope, point)),
      );
    },

    async searchVector(scope, vector, search) {
      requireFit(scope, vector, 'the query');
      const params = {
        hnsw_ef: Math.max(hnswEfSearch, search.limit),
        ...(quantisation === 'none' ? {} : { quantization: { rescore: true, oversampling: 2 } }),
      };
      return find(scope, { query: Array.from(vector), using: 'dense', params }, search, (score) =>
        Math.min(1, Math.max(-1, score)),
      );
    },

    searchTerms: async (scope, terms, search) =>
      terms.length === 0
        ? []
        : find(scope, { query: queriedTerms(terms), using: 'terms' }, search, (score) => Math.max(0, score)),

    async vectors(scope, chunkIds) {
      const found = new Map<string, Float32Array>();
      const atOnce = Math.max(1, Math.min(maxIdsPerCondition, Math.floor(scrolledFloats / scope.space.dimensions)));
      for (const any of slices([...new Set(chunkIds)], atOnce)) {
        const filter = inScope(scope, { key: 'chunk_id', match: { any: [...any] } });
        for await (const { payload, vector } of scroll(scope, {
          ...{ filter, limit: atOnce, with_payload: ['chunk_id'], with_vector: ['dense'] },
        })) {
          found.set(textOf(payload, 'chunk_id'), denseOf(vector));
        }
      }
      return found;
    },

    async setAttributes(scope, versionHash, attributes) {
      const filter = inScope(scope, ...selectorCondition({ versionHash }));
      const entries = entriesOf(attributes);
      await unlessMissing(server.setPayload(collections.name(scope.space), filter, { entries }), undefined);
    },

    async delete(scope, selector) {
      await writes.remove(
        scope.space,
        parts(selector).map((part) => inScope(scope, ...selectorCondition(part))),
      );
    },

    async count(scope, selector) {
      const name = collections.name(scope.space);
      const counts = parts(selector ?? { all: true }).map((part) =>
        unlessMissing(server.count(name, inScope(scope, ...selectorCondition(part))), 0),
      );
      return (await Promise.all(counts)).reduce((total, count) => total + count, 0);
    },

    async *scan(scope) {
      const request = { filter: inScope(scope), limit: scrolledPoints, with_payload: ['chunk_id', 'version_hash'] };
      for await (const { id, payload } of scroll(scope, request)) {
        const versionHash = payload?.['version_hash'];
        yield {
          pointId: String(id),
          chunkId: textOf(payload, 'chunk_id'),
          ...(typeof versionHash === 'string' ? { versionHash } : {}),
        };
      }
    },

    installationId: () => readInstallation(server, prefix),
    markInstallation: (id) => writeInstallation(server, prefix, id),

    async check() {
      const version = await server.version();
      await server.collections();
      if (!isNewEnough(version)) {
        const message = `Qdrant at ${options.url} is version ${version}: 1.16 or newer is needed`;
        throw new SluiceError('configuration-invalid', message);
      }
      return { version };
    },

    close: () => server.close(),
  };

  async function find(
    { space, ...scope }: VectorScope,
    query: Pick<Schemas['QueryRequest'], 'query' | 'using' | 'params'>,
    { limit, filter, withVectors, signal }: SearchOptions,
    scoreOf: (score: number) => number,
  ): Promise<readonly ScoredPoint[]> {
    const condition = filter === undefined ? true : conditionOf(filter);
    if (condition === false) return [];
    const request = {
      ...query,
      filter: inScope({ space, ...scope }, ...(condition === true ? [] : [condition])),
      with_payload: hitFields,
      ...(withVectors === true ? { with_vector: ['dense'] } : {}),
    };
    const best = bestOf(limit, async (wanted) => {
      const points = await server.query(collections.name(space), { ...request, limit: wanted }, signal);
      return points.map(hitOf).map((hit) => ({ ...hit, score: scoreOf(hit.score) }));
    });
    return unlessMissing(best, []);
  }

  async function* scroll({ space }: VectorScope, request: Schemas['ScrollRequest']): AsyncIterable<Schemas['Record']> {
    const name = collections.name(space);
    for (let offset: Schemas['ScrollRequest']['offset'] | undefined; ;) {
      const page = await unlessMissing(
        server.scroll(name, { ...request, ...(offset === undefined ? {} : { offset }) }),
        undefined,
      );
      if (page === undefined) return;
      yield* page.points;
      if (page.next === undefined || page.next === null) return;
      offset = page.next;
    }
  }
}

/** Metadata of collections came with 1.16. */
function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 16);
}

/** Where nothing was ever written there is nothing. */
async function unlessMissing<T>(result: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof MissingCollection) return otherwise;
    throw error;
  }
}

function requireFit({ space }: VectorScope, vector: Float32Array, what: string): void {
  if (vector.length !== space.dimensions) {
    throw new SluiceError(
      'space-mismatch',
      `${what} has a vector of ${vector.length} dimensions; space ${describeSpace(space)} has ${space.dimensions}`,
    );
  }
  if (!vector.every(Number.isFinite)) {
    throw new SluiceError('invalid-argument', `${what} has a vector with a component that is no finite number`);
  }
}

/** A selector in parts that each fit one condition. */
const parts = (selector: PointSelector): readonly PointSelector[] =>
  'pointIds' in selector
    ? slices([...new Set(selector.pointIds)], maxIdsPerCondition).map((pointIds) => ({ pointIds }))
    : [selector];

const slices = (ids: readonly string[], size: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, index) => ids.slice(index * size, (index + 1) * size));
