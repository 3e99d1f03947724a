import * as api from '../../api/retrieval.js';
import type { GatewayContext } from '../../operations/context.js';
import { answer, ask } from '../../operations/retrieval/ask.js';
import { search } from '../../operations/retrieval/search.js';
import { replyWithEvents } from '../event-stream.js';
import { answers, query } from '../route-schemas.js';
import type { App } from '../type-provider.js';

const refusals = ['collection-not-found', 'space-mismatch', 'unsupported-mode', 'deadline-exceeded'] as const;

export function retrievalRoutes(app: App, context: GatewayContext): void {
  app.post(
    '/search',
    {
      schema: {
        tags: ['retrieval'],
        summary: 'Find the chunks that fit a query best',
        querystring: query({}),
        body: api.searchRequestSchema,
        response: answers({ 200: api.searchResultSchema }, ...refusals),
      },
    },
    ({ call, body }) => search(context, call, body),
  );
  app.post(
    '/ask',
    {
      schema: {
        tags: ['retrieval'],
        summary: 'Ask a question; the answer cites its sources',
        description:
          'With "Accept: text/event-stream" the answer is streamed as server-sent events: "text" with the next piece, ' +
          'one "end" with the result, or one "error" with a problem.',
        querystring: query({}),
        body: api.askRequestSchema,
        response: answers({ 200: api.askResultSchema }, ...refusals, 'answer-interrupted'),
      },
    },
    async (request, reply) => {
      const { call, body, headers } = request;
      if (headers.accept?.includes('text/event-stream') !== true) return answer(context, call, body);
      await replyWithEvents(context, request, reply, ask(context, call, body));
      return reply;
    },
  );
}
