// The quickstart on real servers, without Docker (`npm run quickstart:servers`): starts Kafka, a schema registry, S3,
// PostgreSQL and Qdrant, every worker and the gateway as processes of their own, loads, asks, and stops all of it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastifyDocs } from '../../cli/quickstart/docs.js';
import { questions } from '../../cli/quickstart/questions.js';
import { workers } from '../../services/pipeline.js';
import { startServers } from './servers.js';
import { runSluice, startSluice } from './sluice-processes.js';

const began = performance.now();
const say = (text: string): boolean =>
  process.stdout.write(`\n[${((performance.now() - began) / 1_000).toFixed(1)} s] ${text}\n`);

const stops: (() => Promise<void>)[] = [];
async function stop(): Promise<void> {
  for (const each of stops.splice(0).reverse()) await each();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.exitCode = 130;
    void stop().finally(() => process.exit());
  });
}

try {
  say('starting Kafka, the schema registry, S3, PostgreSQL and Qdrant (the first time, installing them takes minutes)');
  const servers = await startServers();
  stops.push(() => servers.stop());
  const state = await mkdtemp(join(tmpdir(), 'sluice-quickstart-'));
  stops.push(() => rm(state, { recursive: true, force: true }));
  const environment = { ...servers.environment, SLUICE_WORKER_PORT: '0', SLUICE_GATEWAY_PORT: '0' };

  const names = Object.keys(workers);
  say(`starting a process for each of ${names.join(', ')}, and the gateway`);
  const commands = [...names.map((name) => ['worker', name]), ['gateway']];
  const started = await Promise.all(commands.map((args) => startSluice(args, environment)));
  stops.push(async () => {
    await Promise.all(started.map((each) => each.stop()));
  });
  const client = { ...environment, SLUICE_URL: started.at(-1)?.url ?? '', XDG_STATE_HOME: state };

  say('sluice doctor');
  await runSluice(['doctor'], client);
  const docs = fastifyDocs();
  say(`sluice load ${docs}`);
  await runSluice(['load', docs], client);
  for (const question of questions) {
    say(`sluice ask "${question}"`);
    await runSluice(['ask', question], client);
  }
  say('sluice topics list');
  await runSluice(['topics', 'list'], client);
  say('stopping all of it');
} finally {
  await stop();
}
say('done');
