import { Registry, collectDefaultMetrics } from 'prom-client';

/** The metrics of a process: memory, CPU, event loop and garbage collection to begin with. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
