import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { App } from './type-provider.js';

/** The description of the API, made of the schemas that the routes check by. Register before the routes. */
export async function describeApi(app: App, prefix: string, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sluice',
        version,
        description: 'Documents in, answers with checkable citations out.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [
        { name: 'documents', description: 'Taking documents in, reading and deleting them' },
        { name: 'collections', description: 'What documents are gathered in' },
        { name: 'retrieval', description: 'Searching and asking' },
        { name: 'progress', description: 'What is going on' },
        { name: 'system', description: 'Health and figures' },
      ],
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
      security: [{ apiKey: [] }, {}],
    },
  });
  await app.register(
    async (scope: App) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, public: true };
      });
      scope.get('/openapi.json', { schema: { hide: true } }, () => Promise.resolve(app.swagger()));
      await scope.register(swaggerUi, { routePrefix: '/docs' });
    },
    { prefix },
  );
}
