import { SluiceError } from '../../services/domain/errors.js';
import type { App } from './type-provider.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/**
 * Notes the routes that are registered from here on; the returned function then answers their paths' other methods with
 * `method-not-allowed`, naming those that there are.
 */
export function refuseOtherMethods(app: App): () => void {
  const byUrl = new Map<string, Set<string>>();
  let noting = true;
  app.addHook('onRoute', ({ url, method }) => {
    if (!noting) return;
    const known = byUrl.get(url) ?? new Set();
    byUrl.set(url, known);
    for (const name of [method].flat()) known.add(name);
  });
  return () => {
    noting = false;
    const { prefix } = app;
    for (const [url, known] of byUrl) {
      const allowed = [...known].join(', ');
      app.route({
        method: methods.filter((name) => !known.has(name)),
        url: url.slice(prefix.length),
        schema: { hide: true },
        config: { public: true },
        onRequest: (_request, reply, done) => {
          void reply.header('allow', allowed);
          done(new SluiceError('method-not-allowed', `this path takes ${allowed}`));
        },
        handler: () => Promise.resolve(),
      });
    }
  };
}
