import { fastify, LogController, type FastifyBaseLogger } from 'fastify';
import { SluiceError } from '../../services/domain/errors.js';
import type { Authenticator } from '../access/api-keys.js';
import type { GatewayContext } from '../operations/context.js';
import { socketRoute } from '../socket/socket.js';
import { admitCalls } from './calls.js';
import { answerClientError } from './client-error.js';
import { measureRequests } from './measure.js';
import { describeApi } from './openapi.js';
import { replyWithProblem } from './problem.js';
import { collectionRoutes } from './routes/collections.js';
import { conversionRoutes } from './routes/conversions.js';
import { deadLetterRoutes } from './routes/dead-letters.js';
import { documentRoutes } from './routes/documents.js';
import { progressRoutes } from './routes/progress.js';
import { recoverRoute } from './routes/recover.js';
import { retrievalRoutes } from './routes/retrieval.js';
import { healthRoute, systemRoutes, type SystemParts } from './routes/system.js';
import { syncRootRoutes } from './routes/sync-roots.js';
import { textRoutes } from './routes/text.js';
import { uploadRoutes } from './routes/uploads.js';
import type { App, SchemaTypes } from './type-provider.js';
import { validator } from './validation.js';
import { refuseOtherMethods } from './wrong-method.js';

/** Leaves `/api/v1` and `/v1` to other protocols. */
const apiPrefix = '/sluice/v1';

/** An id of 1,024 bytes, percent-encoded, with room to spare. */
const maxParamLength = 4096;
const maxHeaderBytes = 128 * 1024;

const whatOf: Readonly<Record<string, string>> = {
  body: 'the body',
  querystring: 'the query',
  params: 'the path',
  headers: 'the headers',
};

/** The HTTP face, built apart from listening. */
export async function createApp(
  context: GatewayContext,
  authenticator: Authenticator,
  parts: SystemParts,
): Promise<App> {
  const loggerInstance: FastifyBaseLogger = context.log;
  const app: App = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: context.config.maxBodyBytes,
    routerOptions: { maxParamLength },
    http: { maxHeaderSize: maxHeaderBytes },
    clientErrorHandler: answerClientError,
    frameworkErrors: replyWithProblem,
  }).withTypeProvider<SchemaTypes>();
  app.setErrorHandler(replyWithProblem);
  app.setNotFoundHandler(({ method, url }) => {
    throw new SluiceError('not-found', `there is nothing at ${method} ${url.slice(0, 200)}: see ${apiPrefix}/docs`);
  });
  app.setValidatorCompiler(({ schema, httpPart = 'body' }) => {
    const check = validator(schema, whatOf[httpPart] ?? httpPart, httpPart !== 'body');
    return (value: unknown) => {
      const error = check(value);
      return error === undefined ? { value } : { error };
    };
  });
  // Response schemas describe; what operations return is already what they say.
  app.setSerializerCompiler(() => JSON.stringify);

  admitCalls(app, authenticator, context.config.apiKeys.length > 0);
  measureRequests(app, parts.registry);
  await describeApi(app, apiPrefix, context.version);
  await app.register(async (scope: App) => {
    const finish = refuseOtherMethods(scope);
    systemRoutes(scope, parts);
    finish();
  });
  await app.register(
    async (scope: App) => {
      const finish = refuseOtherMethods(scope);
      healthRoute(scope, parts);
      collectionRoutes(scope, context);
      conversionRoutes(scope, context);
      syncRootRoutes(scope, context);
      documentRoutes(scope, context);
      textRoutes(scope, context);
      retrievalRoutes(scope, context);
      progressRoutes(scope, context);
      deadLetterRoutes(scope, context);
      recoverRoute(scope, context);
      await scope.register((uploads: App) => uploadRoutes(uploads, context));
      await socketRoute(scope, context, authenticator);
      finish();
    },
    { prefix: apiPrefix },
  );
  await app.ready();
  return app;
}
