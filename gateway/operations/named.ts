import { Type, type Static, type TObject } from '@sinclair/typebox';
import * as collections from '../api/collections.js';
import * as conversions from '../api/conversions.js';
import { deadLetterQuery } from '../api/dead-letters.js';
import { attributesSchema, submitOptions, versionStateSchema } from '../api/documents.js';
import { recoverRequestSchema } from '../api/recover.js';
import * as retrieval from '../api/retrieval.js';
import { timestamp } from '../api/scalars.js';
import { changeSyncRootsSchema } from '../api/sync-roots.js';
import { createCollection, getCollection, listCollections, updateCollection } from './collections/collections.js';
import {
  abortReindex,
  getConversion,
  rechunkCollection,
  reindexCollection,
  skipFailed,
} from './collections/conversions.js';
import { deleteCollection } from './collections/delete-collection.js';
import { pauseCollection, resumeCollection } from './collections/pause.js';
import { planReindex } from './collections/reindex-plan.js';
import { collectionStatistics } from './collections/statistics.js';
import { changeSyncRoots, listSyncRoots } from './collections/sync-roots.js';
import type { Call, GatewayContext } from './context.js';
import { getDeadLetter, listDeadLetters } from './dead-letters/list.js';
import { dropDeadLetter, replayDeadLetter } from './dead-letters/replay.js';
import { getChunk, listChunks } from './documents/chunks.js';
import { deleteDocument } from './documents/delete-document.js';
import { countDocuments, listDocuments } from './documents/list.js';
import { getDocument } from './documents/read.js';
import { retryDocument } from './documents/retry-document.js';
import { submitDocument } from './documents/submit.js';
import { getOperation, waitForOperation } from './progress/operation.js';
import { watch } from './progress/watch.js';
import { recover } from './recover.js';
import { ask } from './retrieval/ask.js';
import { search } from './retrieval/search.js';
import { models, status } from './status.js';

/** An operation that a face calls by name, with parameters that it checks by `params` first. */
export type NamedOperation =
  | { readonly params: TObject; run(context: GatewayContext, call: Call, params: unknown): Promise<unknown> }
  | { readonly params: TObject; stream(context: GatewayContext, call: Call, params: unknown): AsyncIterable<unknown> };

const unary = <P extends TObject>(
  params: P,
  run: (context: GatewayContext, call: Call, params: Static<P>) => Promise<unknown>,
): NamedOperation => ({ params, run: (context, call, checked) => run(context, call, checked as Static<P>) });

const streaming = <P extends TObject>(
  params: P,
  stream: (context: GatewayContext, call: Call, params: Static<P>) => AsyncIterable<unknown>,
): NamedOperation => ({ params, stream: (context, call, checked) => stream(context, call, checked as Static<P>) });

const parameters = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

const id = Type.String();
const after = Type.Optional(Type.String());
const collection = parameters({ collection: id });
const letter = parameters({ letter_id: id });
const document = parameters({ collection: id, document_id: id });
const selection = {
  collection: Type.Optional(id),
  state: Type.Optional(versionStateSchema),
  source: Type.Optional(Type.String()),
  source_prefix: Type.Optional(Type.String({ minLength: 1 })),
  tag: Type.Optional(Type.String()),
  attributes: Type.Optional(attributesSchema),
  updated_from: Type.Optional(timestamp('Changed then or later.')),
  updated_before: Type.Optional(timestamp('Changed before that.')),
};

/** Every operation whose parameters and results are JSON, by name. */
export const namedOperations: Readonly<Record<string, NamedOperation>> = {
  'collections.list': unary(parameters({}), listCollections),
  'collections.create': unary(collections.createCollectionSchema, createCollection),
  'collections.get': unary(collection, getCollection),
  'collections.update': unary(
    parameters({ ...collection.properties, ...collections.updateCollectionSchema.properties }),
    updateCollection,
  ),
  'collections.delete': unary(collection, deleteCollection),
  'collections.pause': unary(collection, pauseCollection),
  'collections.resume': unary(collection, resumeCollection),
  'collections.statistics': unary(collection, collectionStatistics),
  'collections.sync-roots': unary(collection, listSyncRoots),
  'collections.change-sync-roots': unary(
    parameters({ ...collection.properties, ...changeSyncRootsSchema.properties }),
    changeSyncRoots,
  ),

  'collections.reindex': unary(
    parameters({ collection: id, ...conversions.reindexSchema.properties }),
    reindexCollection,
  ),
  'collections.plan-reindex': unary(
    parameters({ collection: id, ...conversions.reindexSchema.properties }),
    planReindex,
  ),
  'collections.skip-failed': unary(collection, skipFailed),
  'collections.abort-reindex': unary(collection, abortReindex),
  'collections.rechunk': unary(
    parameters({ collection: id, ...conversions.rechunkSchema.properties }),
    rechunkCollection,
  ),
  'collections.conversion': unary(collection, getConversion),

  'documents.put': unary(
    parameters({
      collection: id,
      document_id: Type.Optional(id),
      idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      content: Type.Optional(Type.String({ description: 'The document as text.' })),
      content_base64: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$', description: 'Or as bytes.' })),
      ...submitOptions,
    }),
    (context, call, { content = '', content_base64, ...request }) =>
      submitDocument(
        context,
        call,
        request,
        oneChunk(content_base64 === undefined ? Buffer.from(content) : Buffer.from(content_base64, 'base64')),
      ),
  ),
  'documents.get': unary(document, getDocument),
  'documents.list': unary(
    parameters({
      ...selection,
      after,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    }),
    listDocuments,
  ),
  'documents.count': unary(parameters(selection), countDocuments),
  'documents.delete': unary(document, deleteDocument),
  'documents.retry': unary(document, retryDocument),
  'documents.chunks': unary(parameters({ ...document.properties, after }), listChunks),
  'chunks.get': unary(parameters({ chunk_id: id }), getChunk),

  'dead-letters.list': unary(parameters(deadLetterQuery), listDeadLetters),
  'dead-letters.get': unary(letter, getDeadLetter),
  'dead-letters.replay': unary(letter, replayDeadLetter),
  'dead-letters.drop': unary(letter, dropDeadLetter),

  search: unary(retrieval.searchRequestSchema, search),
  ask: streaming(retrieval.askRequestSchema, ask),

  'operations.get': unary(parameters({ operation_id: id }), getOperation),
  'operations.wait': unary(
    parameters({ operation_id: id, timeout_ms: Type.Optional(Type.Integer({ minimum: 0 })) }),
    waitForOperation,
  ),
  'events.watch': streaming(
    parameters({
      collection: Type.Optional(id),
      document_id: Type.Optional(id),
      from: Type.Optional(Type.Union([Type.Literal('listing'), Type.Literal('now')])),
      after,
    }),
    watch,
  ),
  recover: unary(recoverRequestSchema, recover),
  status: unary(parameters({}), status),
  models: unary(parameters({}), (context) => Promise.resolve(models(context))),
};

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}
