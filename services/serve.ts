import { openPorts } from './ports/wire.js';
import { createLogger } from './runtime/log.js';
import { returnFreedMemory } from './runtime/return-freed-memory.js';
import { portSettings, readConfiguration, type ServeOptions } from './settings.js';
import { everything, startParts, type Parts, type RunningParts } from './start-parts.js';

/** Configuration to running parts of the system in this process, all of them by default. Closing closes the ports too. */
export async function serve(options: ServeOptions, parts: Parts = everything): Promise<RunningParts> {
  const configuration = readConfiguration(options);
  const log = createLogger(configuration.section('log'), process.stderr);
  await returnFreedMemory(); // before there are threads and large pieces
  const ports = await openPorts(portSettings(configuration), (message, details) => {
    log.warn(details, message);
  });
  const onFatal = (error: Error): void => {
    log.fatal({ err: error }, 'Sluice cannot go on');
    process.exit(1);
  };
  try {
    const running = await startParts({ configuration, ports, parts, log, onFatal });
    return {
      url: running.url,
      close: async () => {
        await running.close();
        await ports.close();
      },
    };
  } catch (error) {
    await ports.close();
    throw error;
  }
}
