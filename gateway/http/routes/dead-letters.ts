import { Type } from '@sinclair/typebox';
import * as api from '../../api/dead-letters.js';
import type { GatewayContext } from '../../operations/context.js';
import { getDeadLetter, listDeadLetters } from '../../operations/dead-letters/list.js';
import { dropDeadLetter, replayDeadLetter } from '../../operations/dead-letters/replay.js';
import { answers, query } from '../route-schemas.js';
import type { App } from '../type-provider.js';

const tags = ['dead letters'];
const letterPath = Type.Object({ letter_id: Type.String() });

/** Messages that a processor gave up. */
export function deadLetterRoutes(app: App, context: GatewayContext): void {
  app.get(
    '/dead-letters',
    {
      schema: {
        tags,
        summary: 'List the dead letters of the workspace, the last to fail first',
        querystring: query(api.deadLetterQuery),
        response: answers({ 200: api.deadLetterPageSchema }),
      },
    },
    ({ call, query }) => listDeadLetters(context, call, query),
  );
  app.get(
    '/dead-letters/:letter_id',
    {
      schema: {
        tags,
        summary: 'One dead letter with its bytes',
        params: letterPath,
        querystring: query({}),
        response: answers({ 200: api.deadLetterDetailsSchema }, 'not-found'),
      },
    },
    ({ call, params }) => getDeadLetter(context, call, params),
  );
  app.delete(
    '/dead-letters/:letter_id',
    {
      schema: {
        tags,
        summary: 'Drop a dead letter',
        params: letterPath,
        querystring: query({}),
        response: answers({ 200: api.droppedLetterSchema }, 'not-found'),
      },
    },
    ({ call, params }) => dropDeadLetter(context, call, params),
  );
  app.post(
    '/dead-letters/:letter_id/replay',
    {
      schema: {
        tags,
        summary: "Send a dead letter's message again",
        description: 'Answers when it is sent; how that ends says the operation, if there is one.',
        params: letterPath,
        querystring: query({}),
        response: answers({ 200: api.replayedLetterSchema }, 'not-found'),
      },
    },
    ({ call, params }) => replayDeadLetter(context, call, params),
  );
}
