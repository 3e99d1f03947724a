import { recoveredSchema, recoverRequestSchema } from '../../api/recover.js';
import type { GatewayContext } from '../../operations/context.js';
import { recover } from '../../operations/recover.js';
import { answers, query } from '../route-schemas.js';
import type { App } from '../type-provider.js';

export function recoverRoute(app: App, context: GatewayContext): void {
  app.post(
    '/recover',
    {
      schema: {
        tags: ['progress'],
        summary: 'Look now for documents that stalled and versions that are due to be purged',
        querystring: query({}),
        body: recoverRequestSchema,
        response: answers({ 200: recoveredSchema }),
      },
    },
    ({ call, body }) => recover(context, call, body),
  );
}
