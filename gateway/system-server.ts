import { fastify } from 'fastify';
import { replyWithProblem } from './http/problem.js';
import { systemRoutes, type SystemParts } from './http/routes/system.js';
import type { App, SchemaTypes } from './http/type-provider.js';
import { listen } from './listen.js';

/** What a process without a gateway answers: health and figures, and nothing about documents. */
export async function startSystemServer(
  parts: SystemParts,
  address: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const app: App = fastify({ frameworkErrors: replyWithProblem }).withTypeProvider<SchemaTypes>();
  app.setErrorHandler(replyWithProblem);
  systemRoutes(app, parts);
  const { url } = await listen(app, address, 'worker.port');
  return { url, close: () => app.close() };
}
