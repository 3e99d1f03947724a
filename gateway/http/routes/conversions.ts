import * as api from '../../api/conversions.js';
import { operationSchema, submittedSchema } from '../../api/documents.js';
import {
  abortReindex,
  getConversion,
  rechunkCollection,
  reindexCollection,
  skipFailed,
} from '../../operations/collections/conversions.js';
import { planReindex } from '../../operations/collections/reindex-plan.js';
import type { GatewayContext } from '../../operations/context.js';
import { answers, collectionPath, query } from '../route-schemas.js';
import type { App } from '../type-provider.js';
import { replyWithOperation, waitQuery } from '../waiting.js';

const tags = ['collections'];
const begun = answers(
  { 200: operationSchema, 202: submittedSchema },
  ...(['collection-not-found', 'collection-deleting', 'collection-read-only', 'space-mismatch'] as const),
);
const found = ['collection-not-found', 'collection-deleting', 'space-mismatch'] as const;

/** Reindex and rechunk of a collection. */
export function conversionRoutes(app: App, context: GatewayContext): void {
  const change = { tags, params: collectionPath, querystring: query(waitQuery), response: begun };
  app.post(
    '/collections/:collection/reindex',
    { schema: { ...change, summary: 'Embed a collection with another model', body: api.reindexSchema } },
    async (request, reply) => {
      const { call, params, body } = request;
      return replyWithOperation(
        context,
        request,
        reply,
        await reindexCollection(context, call, { ...params, ...body }),
      );
    },
  );
  app.post(
    '/collections/:collection/reindex/skip-failed',
    { schema: { ...change, summary: 'End a reindex without the documents that failed in it' } },
    async (request, reply) =>
      replyWithOperation(context, request, reply, await skipFailed(context, request.call, request.params)),
  );
  app.delete(
    '/collections/:collection/reindex',
    { schema: { ...change, summary: 'Abort a reindex: everything stays as it was' } },
    async (request, reply) =>
      replyWithOperation(context, request, reply, await abortReindex(context, request.call, request.params)),
  );
  app.get(
    '/collections/:collection/reindex/plan',
    {
      schema: {
        tags,
        summary: 'What a reindex would do',
        params: collectionPath,
        querystring: query(api.reindexSchema.properties),
        response: answers({ 200: api.reindexPlanSchema }, ...found),
      },
    },
    ({ call, params, query: { model } }) => planReindex(context, call, { ...params, model }),
  );
  app.post(
    '/collections/:collection/rechunk',
    { schema: { ...change, summary: 'Cut the texts of a collection anew', body: api.rechunkSchema } },
    async (request, reply) => {
      const { call, params, body } = request;
      return replyWithOperation(
        context,
        request,
        reply,
        await rechunkCollection(context, call, { ...params, ...body }),
      );
    },
  );
  app.get(
    '/collections/:collection/conversion',
    {
      schema: {
        tags,
        summary: 'How far a reindex or rechunk has come',
        params: collectionPath,
        querystring: query({}),
        response: answers({ 200: api.conversionSchema }, ...found),
      },
    },
    ({ call, params }) => getConversion(context, call, params),
  );
}
