import { SluiceError } from './domain/errors.js';
import { pipeline, workers } from './pipeline.js';
import { embeddedPorts } from './ports/port-settings.js';
import { serve } from './serve.js';
import { portSettings, readConfiguration, type ServeOptions } from './settings.js';
import type { RunningParts } from './start-parts.js';

/** What `sluice worker` can run. */
const workerNames: readonly string[] = [...Object.keys(workers), 'all'];

/**
 * Runs the processors of these workers, without a gateway. Throws invalid-argument for an unknown name, and
 * configuration-invalid where data would stand in this process's own folder.
 */
export async function work(options: ServeOptions, names: readonly string[]): Promise<RunningParts> {
  requireServers(options, 'a worker');
  const processors = names.flatMap((name) => {
    if (name === 'all') return pipeline;
    if (Object.hasOwn(workers, name)) return workers[name as keyof typeof workers];
    throw new SluiceError('invalid-argument', `there is no worker "${name}": choose from ${workerNames.join(', ')}`);
  });
  return serve(options, { processors: [...new Set(processors)], gateway: false });
}

/** Runs the gateway alone: the processors run elsewhere, as workers. Throws configuration-invalid as `work` does. */
export async function gatewayOnly(options: ServeOptions): Promise<RunningParts> {
  requireServers(options, 'a gateway by itself');
  return serve(options, { processors: [], gateway: true });
}

function requireServers(options: ServeOptions, who: string): void {
  const own = embeddedPorts(portSettings(readConfiguration(options)).adapters);
  if (own.length === 0) return;
  const named = own.map((port) => `adapters.${port}`).join(', ');
  throw new SluiceError(
    'configuration-invalid',
    `${who} shares its data with other processes, but ${named} keeps it in a folder of one process: choose servers for all of them, or run everything with \`sluice serve\``,
  );
}
