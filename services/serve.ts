import { openPorts } from './ports/wire.js';
import { createLogger } from './runtime/log.js';
import { returnFreedMemory } from './runtime/return-freed-memory.js';
import { readConfiguration, type ServeOptions } from './settings.js';
import { startServer, type RunningServer } from './start-server.js';

/** Configuration to a running server, everything in this process. Closing it closes the ports too. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const configuration = readConfiguration(options);
  const log = createLogger(configuration.section('log'), process.stderr);
  await returnFreedMemory(); // before there are threads and large pieces
  const ports = await openPorts({
    storage: configuration.section('storage'),
    embedding: configuration.section('embedding'),
    onnx: configuration.section('onnx'),
    language: configuration.section('language'),
    extractive: configuration.section('extractive'),
  });
  const onFatal = (error: Error): void => {
    log.fatal({ err: error }, 'Sluice cannot go on');
    process.exit(1);
  };
  try {
    const server = await startServer({ configuration, ports, log, onFatal });
    return {
      url: server.url,
      close: async () => {
        await server.close();
        await ports.close();
      },
    };
  } catch (error) {
    await ports.close();
    throw error;
  }
}
