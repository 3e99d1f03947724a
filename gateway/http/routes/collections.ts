import * as api from '../../api/collections.js';
import { operationSchema, submittedSchema } from '../../api/documents.js';
import {
  createCollection,
  getCollection,
  listCollections,
  updateCollection,
} from '../../operations/collections/collections.js';
import { deleteCollection } from '../../operations/collections/delete-collection.js';
import { pauseCollection, resumeCollection } from '../../operations/collections/pause.js';
import { collectionStatistics } from '../../operations/collections/statistics.js';
import type { GatewayContext } from '../../operations/context.js';
import { answers, collectionPath, query } from '../route-schemas.js';
import type { App } from '../type-provider.js';
import { replyWithOperation, waitQuery } from '../waiting.js';

const tags = ['collections'];

export function collectionRoutes(app: App, context: GatewayContext): void {
  app.get(
    '/collections',
    {
      schema: {
        tags,
        summary: 'List the collections of the workspace',
        querystring: query({}),
        response: answers({ 200: api.collectionListSchema }),
      },
    },
    ({ call }) => listCollections(context, call),
  );
  app.post(
    '/collections',
    {
      schema: {
        tags,
        summary: 'Create a collection, pinned to one embedding model and one way of cutting texts',
        querystring: query({}),
        body: api.createCollectionSchema,
        response: answers({ 201: api.createdCollectionSchema }, 'collection-exists', 'space-mismatch'),
      },
    },
    async ({ call, body }, reply) => {
      const created = await createCollection(context, call, body);
      void reply.code(201);
      return created;
    },
  );
  app.get(
    '/collections/:collection',
    {
      schema: {
        tags,
        summary: 'A collection and what it is pinned to',
        params: collectionPath,
        querystring: query({}),
        response: answers({ 200: api.collectionSchema }, 'collection-not-found'),
      },
    },
    ({ call, params }) => getCollection(context, call, params),
  );
  app.patch(
    '/collections/:collection',
    {
      schema: {
        tags,
        summary: "Change a collection's name, description or metadata",
        params: collectionPath,
        querystring: query({}),
        body: api.updateCollectionSchema,
        response: answers({ 200: api.collectionSchema }, 'collection-not-found', 'collection-deleting'),
      },
    },
    ({ call, params, body }) => updateCollection(context, call, { ...body, ...params }),
  );
  app.delete(
    '/collections/:collection',
    {
      schema: {
        tags,
        summary: 'Delete a collection with all its documents',
        params: collectionPath,
        querystring: query(waitQuery),
        response: answers({ 200: operationSchema, 202: submittedSchema }, 'collection-not-found'),
      },
    },
    async (request, reply) =>
      replyWithOperation(context, request, reply, await deleteCollection(context, request.call, request.params)),
  );
  app.post(
    '/collections/:collection/pause',
    {
      schema: {
        tags,
        summary: 'Let new versions of a collection wait',
        params: collectionPath,
        querystring: query({}),
        response: answers({ 200: api.collectionSchema }, 'collection-not-found', 'collection-deleting'),
      },
    },
    ({ call, params }) => pauseCollection(context, call, params),
  );
  app.post(
    '/collections/:collection/resume',
    {
      schema: {
        tags,
        summary: 'Put what waits in a paused collection to work',
        params: collectionPath,
        querystring: query({}),
        response: answers({ 200: api.collectionSchema }, 'collection-not-found', 'collection-deleting'),
      },
    },
    ({ call, params }) => resumeCollection(context, call, params),
  );
  app.get(
    '/collections/:collection/statistics',
    {
      schema: {
        tags,
        summary: 'What a collection holds',
        params: collectionPath,
        querystring: query({}),
        response: answers({ 200: api.statisticsSchema }, 'collection-not-found'),
      },
    },
    ({ call, params }) => collectionStatistics(context, call, params),
  );
}
