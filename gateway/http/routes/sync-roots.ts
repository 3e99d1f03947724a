import { changeSyncRootsSchema, syncRootsSchema } from '../../api/sync-roots.js';
import { changeSyncRoots, listSyncRoots } from '../../operations/collections/sync-roots.js';
import type { GatewayContext } from '../../operations/context.js';
import { answers, collectionPath, query } from '../route-schemas.js';
import type { App } from '../type-provider.js';

const path = '/collections/:collection/sync-roots';
const tags = ['collections'];

export function syncRootRoutes(app: App, context: GatewayContext): void {
  app.get(
    path,
    {
      schema: {
        tags,
        summary: 'Where a collection’s documents come from',
        params: collectionPath,
        querystring: query({}),
        response: answers({ 200: syncRootsSchema }, 'collection-not-found'),
      },
    },
    ({ call, params }) => listSyncRoots(context, call, params),
  );
  app.patch(
    path,
    {
      schema: {
        tags,
        summary: 'Record or forget where documents come from; documents stay as they are',
        params: collectionPath,
        querystring: query({}),
        body: changeSyncRootsSchema,
        response: answers({ 200: syncRootsSchema }, 'collection-not-found', 'collection-deleting'),
      },
    },
    ({ call, params, body }) => changeSyncRoots(context, call, { ...body, ...params }),
  );
}
