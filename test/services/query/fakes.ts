import { evaluate } from '../../../services/domain/filter/evaluate.js';
import type { Filter } from '../../../services/domain/filter/filter.js';
import { bm25 } from '../../../services/domain/lexical/bm25.js';
import { defaultLexicalAnalysis } from '../../../services/domain/lexical-analysis.js';
import { terms } from '../../../services/domain/lexical/terms.js';
import { byScoreThenId } from '../../../services/domain/ranking/fused.js';
import { SluiceError } from '../../../services/domain/errors.js';
import { documentKeyString } from '../../../services/domain/identity.js';
import { defaultChunkerSpec } from '../../../services/domain/chunker-spec.js';
import type { EmbeddingSpace } from '../../../services/domain/embedding-space.js';
import type { Catalog, CollectionRecord, VersionRecord } from '../../../services/ports/catalog/port.js';
import type { EmbeddingModel, EmbeddingModels } from '../../../services/ports/embedding-model/port.js';
import type {
  Point,
  ScoredPoint,
  SearchOptions,
  VectorScope,
  VectorStore,
} from '../../../services/ports/vector-store/port.js';

/** A port with these methods; any other throws when it is called. */
export const portWith = <T extends object>(name: string, known: Partial<T>): T =>
  new Proxy(known, {
    get: (target, method) =>
      Reflect.get(target, method) ??
      (() => {
        throw new Error(`the test expects no call of ${name}.${String(method)}`);
      }),
  }) as T;

export const space: EmbeddingSpace = { id: 'plane', model: 'plane', dimensions: 2 };

/** A vector of the plane; its cosine to 0° is cos of the angle. */
export const at = (degrees: number): Float32Array =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));

export const collectionRecord = (id: string, rest: Partial<CollectionRecord> = {}): CollectionRecord => ({
  ...{ workspace: 'acme', id, name: id, description: '', metadata: {}, space, targetSpace: null },
  ...{ conversion: null, retiredSpaces: [], paused: false, spaceSince: null },
  ...{ chunkerSpec: defaultChunkerSpec, lexical: defaultLexicalAnalysis, state: 'active', generation: 1 },
  ...{ createdAt: new Date(0), updatedAt: new Date(0) },
  ...rest,
});

type Live = Pick<VersionRecord, 'workspace' | 'collection' | 'documentId' | 'versionHash'> & Partial<VersionRecord>;

/** A catalog that knows these collections and live versions, at any time. */
export function fakeCatalog(collections: readonly CollectionRecord[], live: readonly Live[]) {
  const versions = new Map(live.map((version) => [documentKeyString(version), versionRecord(version)]));
  const asked: string[][] = [];
  const catalog = portWith<Catalog>('catalog', {
    now: () => Promise.resolve(new Date('2025-06-30T00:00:00Z')),
    liveAt(documents) {
      const keys = documents.map(documentKeyString);
      asked.push(keys);
      return Promise.resolve(
        new Map(
          keys.flatMap((key) => {
            const version = versions.get(key);
            return version === undefined ? [] : [[key, version] as const];
          }),
        ),
      );
    },
    collection: (workspace, id) =>
      Promise.resolve(collections.find((record) => record.workspace === workspace && record.id === id)),
    collections: (workspace) => Promise.resolve(collections.filter((record) => record.workspace === workspace)),
    attributeValues: () => Promise.reject(new Error('the test expects no question for values')),
    close: () => Promise.resolve(),
  });
  return { catalog, asked, versions };
}

const versionRecord = (version: Live): VersionRecord => ({
  ...{ version: 1, state: 'ready', purgeBegun: false, uploadId: 'u', contentHash: 'h', sizeBytes: 1 },
  ...{ contentType: null, title: null, source: `file:///${version.documentId}`, tags: [], attributes: {} },
  ...{ attributeRevision: 0, fileTime: null, flow: 'default', textSha256: null, textBytes: null, packs: 1 },
  ...{
    chunks: 1,
    chunkerSpec: defaultChunkerSpec,
    lexical: defaultLexicalAnalysis,
    spaces: [space],
    retiredSpaces: [],
  },
  ...{ stage: null, code: null, reason: null, createdAt: new Date('2025-06-01T00:00:00Z') },
  ...{ updatedAt: new Date(0), liveSince: new Date('2025-06-02T00:00:00Z'), supersededAt: null },
  ...version,
});

export type StoredPoint = Pick<Point, 'chunkId' | 'documentId' | 'seq' | 'vector'> &
  Partial<Point> & { readonly collection: string; readonly text?: string };

/** A store that searches these points exactly, and counts what it is asked. */
export function fakeStore(points: readonly StoredPoint[]) {
  const searches: { list: 'vector' | 'lexical'; collection: string; limit: number; filter: Filter | undefined }[] = [];
  const inScope = (scope: VectorScope, { filter }: Partial<SearchOptions> = {}): StoredPoint[] =>
    points.filter(
      ({ collection, attributes = {} }) =>
        collection === scope.collection && (filter === undefined || evaluate(filter, attributes)),
    );
  const best = (
    scored: readonly { point: StoredPoint; score: number }[],
    { limit }: SearchOptions,
  ): readonly ScoredPoint[] =>
    scored
      .map(({ point: { chunkId, documentId, versionHash, seq, source = '' }, score }) => ({
        ...{ id: chunkId, chunkId, documentId, seq, source, score },
        ...(versionHash === undefined ? {} : { versionHash }),
      }))
      .sort(byScoreThenId)
      .slice(0, limit);
  const store = portWith<VectorStore>('vectorStore', {
    searchVector(scope, vector, options) {
      searches.push({ list: 'vector', collection: scope.collection, limit: options.limit, filter: options.filter });
      const scored = inScope(scope, options).map((point) => ({ point, score: cosine(vector, point.vector) }));
      return Promise.resolve(best(scored, options));
    },
    searchTerms(scope, words, options) {
      searches.push({ list: 'lexical', collection: scope.collection, limit: options.limit, filter: options.filter });
      const here = inScope(scope, options);
      const scores = bm25(
        words,
        here.map(({ text = '' }) => terms(text, scope.lexical)),
      );
      const scored = here.map((point, index) => ({ point, score: scores[index] ?? 0 }));
      return Promise.resolve(
        best(
          scored.filter(({ score }) => score > 0),
          options,
        ),
      );
    },
    vectors: (scope, chunkIds) =>
      Promise.resolve(
        new Map(
          inScope(scope)
            .filter(({ chunkId }) => chunkIds.includes(chunkId))
            .map(({ chunkId, vector }) => [chunkId, vector]),
        ),
      ),
    close: () => Promise.resolve(),
  });
  return { store, searches };
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** Encodes every query as the same vector, and counts how often. */
export function fakeModels(vector: Float32Array, rest: Partial<EmbeddingModel> = {}) {
  const encoded: string[] = [];
  const model = portWith<EmbeddingModel>('embeddingModel', {
    ...{ space, fusion: { method: 'relative', denseWeight: 0.3 }, maxBatch: 64 },
    embedQuery(text) {
      encoded.push(text);
      return Promise.resolve(vector);
    },
    close: () => Promise.resolve(),
    ...rest,
  });
  const models: EmbeddingModels = {
    default: model,
    all: [model],
    ofSpace(id) {
      if (id === model.space.id) return model;
      throw new SluiceError('space-mismatch', `no configured model embeds in space ${id}`);
    },
    close: () => Promise.resolve(),
  };
  return { models, encoded };
}
