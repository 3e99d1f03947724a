import type { Registry } from 'prom-client';
import { healthOf, type HealthSource } from '../../../services/runtime/health.js';
import { healthSchema } from '../../api/status.js';
import type { Health } from '../../client/types.js';
import type { App } from '../type-provider.js';

export interface SystemParts {
  readonly health: readonly HealthSource[];
  readonly registry: Registry;
  readonly version: string;
}

/** What runs the server asks of it: whether it lives, whether it can be used, and its figures. */
export function systemRoutes(app: App, parts: SystemParts): void {
  const schema = (summary: string) => ({
    tags: ['system'],
    summary,
    response: { 200: healthSchema, 503: healthSchema },
  });
  app.get(
    '/healthz/live',
    { config: { public: true }, schema: schema('Whether the process lives; it depends on no other server') },
    async (_request, reply) => reply.code(healthOf(parts.health).live ? 200 : 503).send(healthView(parts, 'live')),
  );
  app.get(
    '/healthz/ready',
    { config: { public: true }, schema: schema('Whether the process can be used') },
    async (_request, reply) => reply.code(healthOf(parts.health).ready ? 200 : 503).send(healthView(parts, 'ready')),
  );
  app.get('/metrics', { schema: { tags: ['system'], summary: 'Figures for Prometheus' } }, async (_request, reply) => {
    const figures = await parts.registry.metrics();
    return reply.type(parts.registry.contentType).send(figures);
  });
}

/** Readiness as an answer that is never an error: for people and tools that ask. */
export function healthRoute(app: App, parts: SystemParts): void {
  app.get(
    '/health',
    {
      config: { public: true },
      schema: { tags: ['system'], summary: 'Readiness, answered 200 in any case', response: { 200: healthSchema } },
    },
    () => Promise.resolve(healthView(parts, 'ready')),
  );
}

function healthView({ health, version }: SystemParts, of: 'live' | 'ready'): Health {
  const stateOf = (source: HealthSource): string => {
    const { live, ready } = source.health();
    return !live ? 'not live' : of === 'ready' && !ready ? 'not ready' : 'ok';
  };
  return {
    status: healthOf(health)[of] ? 'ok' : 'failing',
    checks: Object.fromEntries(health.map((source) => [source.name, stateOf(source)])),
    version,
  };
}
