// A process of the distributed run with a model of no cost and, where BENCH_DROP is set, a vector store that drops what
// it is given: `worker NAME…` or `gateway`. After SIGUSR2 it writes what it has asked of servers into BENCH_COUNTS.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { pipeline, workers } from '../../services/pipeline.js';
import { openPorts } from '../../services/ports/wire.js';
import { portSettings, readConfiguration } from '../../services/settings.js';
import { startParts } from '../../services/start-parts.js';
import { withModel } from './bench-server.js';
import { dropping } from './dropping.js';
import { createFreeModel } from './free-model.js';
import { countRequests } from './requests.js';

const counted = countRequests();
const folder = process.env['BENCH_COUNTS'];
if (folder !== undefined) {
  process.on('SIGUSR2', () => {
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify({ at: Date.now(), ...counted() }));
  });
}

const [kind, ...names] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const processors = names.flatMap((name) => (name in workers ? workers[name as keyof typeof workers] : pipeline));
const configuration = readConfiguration({ env: process.env });
const log = pino({ level: 'warn' }, pino.destination(2));
const opened = await openPorts(portSettings(configuration));
const free = withModel(createFreeModel(384))(opened);
const running = await startParts({
  configuration,
  ports: process.env['BENCH_DROP'] === undefined ? free : dropping(free),
  parts: { processors: kind === 'gateway' ? [] : processors, gateway: kind === 'gateway' },
  log,
  onFatal: (error) => {
    throw error;
  },
});
process.once('SIGTERM', () => {
  void running
    .close()
    .then(() => opened.close())
    .then(() => process.exit(0));
});
process.stdout.write(`${JSON.stringify({ listening: running.url })}\n`);
