import { Type } from '@sinclair/typebox';
import { operationSchema } from '../../api/documents.js';
import { watchEventSchema } from '../../api/events.js';
import { modelsSchema, statusSchema } from '../../api/status.js';
import type { GatewayContext } from '../../operations/context.js';
import { getOperation, waitForOperation } from '../../operations/progress/operation.js';
import { watch } from '../../operations/progress/watch.js';
import { models, status } from '../../operations/status.js';
import { replyWithEvents } from '../event-stream.js';
import { answers, query } from '../route-schemas.js';
import type { App } from '../type-provider.js';
import { wantedWaitMs, waitQuery } from '../waiting.js';

const tags = ['progress'];

const watchQuery = {
  collection: Type.Optional(Type.String()),
  document_id: Type.Optional(Type.String()),
  from: Type.Optional(
    Type.Union([Type.Literal('listing'), Type.Literal('now')], {
      description: 'listing (default): first how every document stands. now: changes alone.',
    }),
  ),
  after: Type.Optional(
    Type.String({ description: 'The cursor of the last event seen, as the header Last-Event-ID: nothing is listed.' }),
  ),
};

export function progressRoutes(app: App, context: GatewayContext): void {
  app.get(
    '/operations/:operation_id',
    {
      schema: {
        tags,
        summary: 'How an operation stands, or (wait) how it ends',
        params: Type.Object({ operation_id: Type.String() }),
        querystring: query(waitQuery),
        response: answers({ 200: operationSchema }, 'not-found'),
      },
    },
    ({ call, params, query, headers }) => {
      const waitMs = wantedWaitMs(query.wait, headers.prefer);
      if (waitMs === undefined) return getOperation(context, call, params);
      return waitForOperation(context, call, { ...params, timeout_ms: waitMs });
    },
  );
  app.get(
    '/events',
    {
      schema: {
        tags,
        summary: "Documents' changes, as server-sent events",
        description:
          'First "document" events with how every document stands, then "listed", then "document" events as they happen.',
        querystring: query(watchQuery),
        response: {
          ...answers({}, 'collection-not-found', 'events-expired'),
          200: { description: 'Events', content: { 'text/event-stream': { schema: watchEventSchema } } },
        },
      },
    },
    async (request, reply) => {
      const { workspace: _workspace, ...query } = request.query;
      const last = request.headers['last-event-id'];
      const wanted = typeof last === 'string' && last !== '' ? { ...query, after: last } : query;
      await replyWithEvents(context, request, reply, watch(context, request.call, wanted));
      return reply;
    },
  );
  app.get(
    '/status',
    {
      schema: {
        tags,
        summary: 'How much there is of everything in the workspace',
        querystring: query({}),
        response: answers({ 200: statusSchema }),
      },
    },
    ({ call }) => status(context, call),
  );
  app.get(
    '/models',
    {
      schema: {
        tags,
        summary: 'The models that this server works with',
        querystring: query({}),
        response: answers({ 200: modelsSchema }),
      },
    },
    () => Promise.resolve(models(context)),
  );
}
