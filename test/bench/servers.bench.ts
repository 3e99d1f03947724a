// The distributed run: one process of each kind on real servers, which all share this machine. How fast a load goes,
// what each process has in memory at rest and at most, and what a search costs beside the bare vector search.
import { performance } from 'node:perf_hooks';
import { openPorts } from '../../services/ports/wire.js';
import { portSettings, readConfiguration } from '../../services/settings.js';
import { processesPerWorker, startDeployment, type Deployment } from '../journeys/deployment.js';
import { peakResidentBytes } from '../long/resident-memory.js';
import { startServers } from '../stack/servers.js';
import { packageDocuments } from './documents.js';
import { load } from './load.js';

const queries = ['How do I register a plugin?', 'validation of the request body', 'content type parser', 'license'];
const searches = 200;
const megabyte = 1e6;

async function timed(what: string, run: (query: string) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let index = -20; index < searches; index++) {
    const start = performance.now();
    await run(queries[Math.abs(index) % queries.length] ?? '');
    if (index >= 0) times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const [p50, p95] = [0.5, 0.95].map((part) => (times[Math.floor(times.length * part)] ?? NaN).toFixed(1).padStart(7));
  console.log(`  ${what.padEnd(44)} p50 ${p50}   p95 ${p95}`);
}

async function latency({ client, environment }: Deployment): Promise<void> {
  const ports = await openPorts(portSettings(readConfiguration({ env: { ...environment } })));
  try {
    const record = await ports.catalog.collection('default', 'bench');
    if (record === undefined) throw new Error('the collection that was just loaded is not in the catalog');
    const scope = { ...record, collection: record.id };
    const model = ports.embeddingModels.default;
    const vectors = new Map<string, Float32Array>();
    for (const query of queries) vectors.set(query, await model.embedQuery(query));
    const bare = (query: string) =>
      ports.vectorStore.searchVector(scope, vectors.get(query) ?? new Float32Array(), { limit: 10 });
    console.log('\nsearch, idle, 10 hits, ms');
    await timed('the vector store alone, vector given', bare);
    await timed('embedding the query alone', (query) => model.embedQuery(query));
    for (const mode of ['semantic', 'hybrid'] as const) {
      await timed(`gateway, Kafka, query: ${mode}, with texts`, (query) =>
        client.search({ query, mode, collections: ['bench'], limit: 10 }),
      );
    }
  } finally {
    await ports.close();
  }
}

const servers = await startServers();
try {
  const deployment = await startDeployment(servers, processesPerWorker(1));
  try {
    const { client, processes } = deployment;
    const atRest = new Map<string, number>();
    for (const [name, process] of processes) atRest.set(name, await process.residentBytes());
    await client.createCollection({ collection: 'warm' });
    await client.createCollection({ collection: 'bench' });
    await load(client, 'warm', packageDocuments().slice(0, 20));
    const { documents, chunks, seconds } = await load(client, 'bench', packageDocuments());
    const rate = (chunks / seconds).toFixed(0);
    console.log(
      `\nload: ${documents} documents, ${chunks} chunks in ${seconds.toFixed(1)} s, ${rate} chunks/s, hashing model`,
    );
    await latency(deployment);
    console.log('\nmemory, MB: at rest, at most');
    for (const [name, { process }] of processes) {
      const [rest, peak] = [atRest.get(name) ?? NaN, peakResidentBytes(process.pid)].map((bytes) =>
        (bytes / megabyte).toFixed(0).padStart(6),
      );
      console.log(`  ${name.padEnd(20)} ${rest} ${peak}`);
    }
  } finally {
    await deployment.stop();
  }
} finally {
  await servers.stop();
}
