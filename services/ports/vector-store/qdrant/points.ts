import type { Schemas } from '@qdrant/js-client-rest';
import { SluiceError } from '../../../domain/errors.js';
import { entriesOf } from '../entries.js';
import type { Point, ScoredPoint, VectorScope } from '../port.js';
import type { FoundPoint, StoredPoint } from './server.js';
import { weightedTerms } from './terms.js';

const keyword = { type: 'keyword' } as const;

/** The fields of a payload that are filtered by, with their indexes. */
export const indexes: Readonly<Record<string, Schemas['PayloadFieldSchema']>> = {
  workspace: { type: 'keyword', is_tenant: true },
  collection: keyword,
  document_id: keyword,
  version_hash: keyword,
  chunk_id: keyword,
  import_id: keyword,
  generation: { type: 'integer' },
  /** Attributes, one string per typed value: every attribute is filterable, and no setting names one. */
  entries: keyword,
};

/** What a hit needs of a payload. */
export const hitFields = ['chunk_id', 'document_id', 'version_hash', 'seq', 'source'];

/** Ids, place and attributes; the text is elsewhere. */
function payloadOf({ workspace, collection }: VectorScope, point: Point): StoredPoint['payload'] {
  return {
    ...{ workspace, collection, chunk_id: point.chunkId, document_id: point.documentId },
    ...(point.versionHash === undefined ? {} : { version_hash: point.versionHash }),
    ...{ seq: point.seq, source: point.source },
    ...(point.importId === undefined ? {} : { import_id: point.importId }),
    ...(point.generation === undefined ? {} : { generation: point.generation }),
    entries: entriesOf(point.attributes),
  };
}

/** A point that waits to be written; its vectors take many times as much memory in the form that is sent. */
export interface PendingPoint {
  readonly point: Point;
  readonly payload: StoredPoint['payload'];
}

export const pendingPoint = (scope: VectorScope, point: Point): PendingPoint => ({
  point,
  payload: payloadOf(scope, point),
});

export const storedPoint = ({ point, payload }: PendingPoint): StoredPoint => ({
  id: point.pointId,
  vector: { dense: Array.from(point.vector), terms: weightedTerms(point.terms) },
  payload,
});

/** Longest forms of a float, and of an index with its weight, with their commas. */
const floatBytes = 25;
const termBytes = 11 + floatBytes;

/** The most bytes that a point takes in a request. */
export const bytesOf = ({ point: { vector, terms }, payload }: PendingPoint): number =>
  200 + vector.length * floatBytes + terms.length * termBytes + Buffer.byteLength(JSON.stringify(payload));

export function hitOf({ payload, vector, score }: FoundPoint): ScoredPoint {
  const versionHash = payload?.['version_hash'];
  return {
    chunkId: textOf(payload, 'chunk_id'),
    documentId: textOf(payload, 'document_id'),
    ...(typeof versionHash === 'string' ? { versionHash } : {}),
    seq: Number(payload?.['seq']),
    source: textOf(payload, 'source'),
    score: score ?? 0,
    ...(vector === undefined || vector === null ? {} : { vector: denseOf(vector) }),
  };
}

export function textOf(payload: FoundPoint['payload'], field: string): string {
  const value = payload?.[field];
  if (typeof value === 'string') return value;
  throw new SluiceError(
    'invalid-response',
    `a point in Qdrant has no ${field}: something else wrote to the collection`,
  );
}

export function denseOf(vector: FoundPoint['vector']): Float32Array {
  const dense = typeof vector === 'object' && vector !== null && 'dense' in vector ? vector.dense : undefined;
  if (Array.isArray(dense)) return Float32Array.from(dense as number[]);
  throw new SluiceError('invalid-response', 'Qdrant gave no vector of a point');
}
