import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import type { GatewayContext } from '../../operations/context.js';
import { documentText } from '../../operations/documents/text.js';
import { byteRange } from '../byte-range.js';
import { answers, documentPath, documentQuery, documentReference, query } from '../route-schemas.js';
import type { App } from '../type-provider.js';

const text = (description: string) => ({
  description,
  content: { 'text/plain': { schema: Type.String() } },
});

export function textRoutes(app: App, context: GatewayContext): void {
  app.get(
    '/collections/:collection/documents/:document_id/text',
    {
      schema: {
        tags: ['documents'],
        summary: "A document's decoded text, whole or a range of its bytes",
        description: 'What the offsets of chunks and citations count in (code points). One range of bytes is served.',
        params: documentPath,
        querystring: query(documentQuery),
        response: {
          ...answers({}, 'document-not-found', 'range-not-satisfiable'),
          200: text('The whole text'),
          206: text('The range asked for'),
        },
      },
    },
    async ({ call, params, query, headers }, reply) => {
      const range = byteRange(headers.range);
      const reference = documentReference(params, query);
      const part = await documentText(context, call, { ...reference, ...(range === undefined ? {} : { range }) });
      void reply.headers({
        'content-type': 'text/plain; charset=utf-8',
        'content-length': part.end - part.start,
        'accept-ranges': 'bytes',
        etag: `"${part.textSha256}"`,
        // The text may be any document's: a browser is not to guess that it is a page.
        'x-content-type-options': 'nosniff',
      });
      if (range !== undefined) {
        void reply.code(206).header('content-range', `bytes ${part.start}-${part.end - 1}/${part.totalBytes}`);
      }
      send(reply, part.stream);
      return reply;
    },
  );
}

/** The route's answer is text to its readers; to the server it is a stream of it. */
function send(reply: FastifyReply, stream: Readable): void {
  void reply.send(stream);
}
