import { Type } from '@sinclair/typebox';
import * as api from '../../api/documents.js';
import { timestamp } from '../../api/scalars.js';
import { deleteDocument } from '../../operations/documents/delete-document.js';
import { getChunk, listChunks } from '../../operations/documents/chunks.js';
import { countDocuments, listDocuments } from '../../operations/documents/list.js';
import { getDocument } from '../../operations/documents/read.js';
import { retryDocument } from '../../operations/documents/retry-document.js';
import type { GatewayContext } from '../../operations/context.js';
import { answers, collectionPath, documentPath, documentQuery, documentReference, query } from '../route-schemas.js';
import { parseAttributesQuery } from '../attributes-query.js';
import type { App } from '../type-provider.js';
import { replyWithOperation, waitQuery } from '../waiting.js';

const selectionQuery = {
  state: Type.Optional(api.versionStateSchema),
  source: Type.Optional(Type.String()),
  source_prefix: Type.Optional(
    Type.String({ minLength: 1, description: 'Of one collection: listed in byte order of source.' }),
  ),
  tag: Type.Optional(Type.String()),
  attributes: Type.Optional(Type.String({ description: 'Metadata that must be there, as a JSON object.' })),
  updated_from: Type.Optional(timestamp('Changed then or later.')),
  updated_before: Type.Optional(timestamp('Changed before that.')),
};

const listQuery = {
  ...selectionQuery,
  after: Type.Optional(Type.String({ description: 'What `next` of the page before says.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Documents a page. Default 100.' })),
};

/** The workspace is the caller's; attributes are JSON in a query. */
function selected<Q extends { readonly workspace?: string; readonly attributes?: string }>({
  workspace: _workspace,
  attributes,
  ...query
}: Q) {
  return { ...query, ...(attributes === undefined ? {} : { attributes: parseAttributesQuery(attributes) }) };
}

/** Documents and their chunks, but for their bytes. */
export function documentRoutes(app: App, context: GatewayContext): void {
  app.get(
    '/documents',
    {
      schema: {
        tags: ['documents'],
        summary: 'List the documents of the workspace',
        querystring: query(listQuery),
        response: answers({ 200: api.documentPageSchema }),
      },
    },
    ({ call, query }) => listDocuments(context, call, selected(query)),
  );
  app.get(
    '/documents/count',
    {
      schema: {
        tags: ['documents'],
        summary: 'How many documents there are of these',
        querystring: query({ collection: Type.Optional(Type.String()), ...selectionQuery }),
        response: answers({ 200: api.documentCountSchema }, 'collection-not-found'),
      },
    },
    ({ call, query }) => countDocuments(context, call, selected(query)),
  );
  app.get(
    '/collections/:collection/documents',
    {
      schema: {
        tags: ['documents'],
        summary: 'List the documents of a collection',
        params: collectionPath,
        querystring: query(listQuery),
        response: answers({ 200: api.documentPageSchema }, 'collection-not-found'),
      },
    },
    ({ call, params, query }) => listDocuments(context, call, { ...selected(query), ...params }),
  );
  app.get(
    '/collections/:collection/documents/:document_id',
    {
      schema: {
        tags: ['documents'],
        summary: 'Where a document stands',
        params: documentPath,
        querystring: query(documentQuery),
        response: answers({ 200: api.documentSchema }, 'document-not-found'),
      },
    },
    ({ call, params, query }) => getDocument(context, call, documentReference(params, query)),
  );
  app.delete(
    '/collections/:collection/documents/:document_id',
    {
      schema: {
        tags: ['documents'],
        summary: 'Delete a document',
        params: documentPath,
        querystring: query({ ...documentQuery, ...waitQuery }),
        response: answers({ 200: api.operationSchema, 202: api.submittedSchema }, 'collection-not-found'),
      },
    },
    async (request, reply) => {
      const reference = documentReference(request.params, request.query);
      const submitted = await deleteDocument(context, request.call, reference);
      return replyWithOperation(context, request, reply, submitted);
    },
  );
  app.post(
    '/collections/:collection/documents/:document_id/retry',
    {
      schema: {
        tags: ['documents'],
        summary: 'Put a failed document to work again where it stopped',
        params: documentPath,
        querystring: query({ ...documentQuery, ...waitQuery }),
        response: answers(
          { 200: api.operationSchema, 202: api.submittedSchema },
          'collection-not-found',
          'collection-deleting',
        ),
      },
    },
    async (request, reply) => {
      const reference = documentReference(request.params, request.query);
      return replyWithOperation(context, request, reply, await retryDocument(context, request.call, reference));
    },
  );
  app.get(
    '/collections/:collection/documents/:document_id/chunks',
    {
      schema: {
        tags: ['documents'],
        summary: "A document's chunks, a pack a page",
        params: documentPath,
        querystring: query({ ...documentQuery, after: listQuery.after }),
        response: answers({ 200: api.chunkPageSchema }, 'document-not-found'),
      },
    },
    ({ call, params, query: { after, ...query } }) =>
      listChunks(context, call, {
        ...documentReference(params, query),
        ...(after === undefined ? {} : { after }),
      }),
  );
  app.get(
    '/chunks/:chunk_id',
    {
      schema: {
        tags: ['documents'],
        summary: 'One chunk with its text',
        params: Type.Object({ chunk_id: Type.String() }),
        querystring: query({}),
        response: answers({ 200: api.chunkSchema }, 'chunk-not-found'),
      },
    },
    ({ call, params }) => getChunk(context, call, params),
  );
}
