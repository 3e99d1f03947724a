// How long a search takes, through the gateway with the client, by how much there is to search: idle, and while
// documents are loaded. The server is a process of its own. BENCH_CHUNKS=1000,10000,100000 says at which sizes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { SluiceApi } from '../../gateway/client/client.js';
import { startServer } from '../journeys/server.js';
import { packageDocuments, type BenchDocument } from './documents.js';
import { allReady, send } from './load.js';

const sizes = (process.env['BENCH_CHUNKS'] ?? '1000,10000').split(',').map(Number);
const questions = [
  'How do I register a plugin?',
  'validation of the request body',
  'content type parser',
  'parse command line options',
  'stream backpressure and high water mark',
  'match files with a glob pattern',
  'license',
  'breaking changes in the last major version',
];
const searches = 200;
const texts = packageDocuments();

/** The same real documents again and again, told apart by a first line. */
function* endless(): Generator<BenchDocument, never> {
  for (let round = 0; ; round++) {
    for (const { id, body } of texts) yield { id: `${round}/${id}`, body: `Edition ${round} of ${id}.\n\n${body}` };
  }
}

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

/** Searches one after the other. */
async function measure(client: SluiceApi): Promise<{ readonly p50: number; readonly p95: number }> {
  const times: number[] = [];
  while (times.length < searches) {
    const query = questions[times.length % questions.length] ?? '';
    const start = performance.now();
    await client.search({ query, collections: ['bench'], limit: 10 });
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}

const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
const server = await startServer(join(folder, 'data'));
try {
  const { client } = server;
  await client.createCollection({ collection: 'bench' });
  const documents = endless();
  const next = (count: number): BenchDocument[] => Array.from({ length: count }, () => documents.next().value);
  console.log('\nsearch: hybrid, 10 hits, ms');
  for (const size of sizes) {
    for (;;) {
      const { chunks } = await client.status();
      if (chunks >= size) break;
      await send(client, 'bench', next(Math.min(500, Math.max(10, Math.ceil((size - chunks) / 6)))));
      await allReady(client);
    }
    const { chunks } = await client.status();
    for (const question of questions) await client.search({ query: question, collections: ['bench'] });
    const idle = await measure(client);
    let loading = true;
    const stop = (): void => {
      loading = false;
    };
    const background = keepLoading(
      client,
      () => next(8),
      () => loading,
    );
    const busy = await measure(client).finally(stop);
    await background;
    for (const [name, { p50, p95 }] of Object.entries({ idle, loading: busy })) {
      console.log(
        `  ${String(chunks).padStart(7)} chunks, ${name.padEnd(8)} p50 ${p50.toFixed(1).padStart(7)}   p95 ${p95.toFixed(1).padStart(7)}`,
      );
    }
    console.log(`  loading p95 is ${(busy.p95 / idle.p95).toFixed(1)} × idle p95`);
    await allReady(client);
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Loads while `more` says so, keeping documents under way without a queue that outlasts the measurement by much. */
async function keepLoading(client: SluiceApi, next: () => BenchDocument[], more: () => boolean): Promise<void> {
  while (more()) {
    await send(client, 'bench', next());
    while (more()) {
      const { pending, processing } = (await client.status()).documents;
      if (pending + processing < 32) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
