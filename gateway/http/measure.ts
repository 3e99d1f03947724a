import { Histogram, type Registry } from 'prom-client';
import type { App } from './type-provider.js';

/** Measures how long requests take, by route, method and status. */
export function measureRequests(app: App, registry: Registry): void {
  const name = 'sluice_http_request_seconds';
  registry.removeSingleMetric(name); // a second gateway of one process (tests) takes it over
  const seconds = new Histogram({
    name,
    help: 'Time from the first byte of a request to the last of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: String(reply.statusCode),
    };
    seconds.observe(labels, reply.elapsedTime / 1_000);
    done();
  });
}
