// What the pipeline costs beside embedding. A model of no cost shows the overhead per chunk, with LanceDB and with a
// vector store that drops what it is given; the hashing model's load stands beside the model alone.
import { performance } from 'node:perf_hooks';
import { createHashingModel } from '../../services/ports/embedding-model/hashing/hashing.js';
import type { EmbeddingModel } from '../../services/ports/embedding-model/port.js';
import { withModel, withServer } from './bench-server.js';
import { cpuByPart } from './cpu-by-part.js';
import { packageDocuments } from './documents.js';
import { dropping } from './dropping.js';
import { createFreeModel } from './free-model.js';
import type { Load } from './load.js';

const documents = packageDocuments();
const bytes = documents.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

function report(name: string, { chunks, seconds, cpuSeconds }: Load): void {
  const rate = (chunks / seconds).toFixed(0).padStart(6);
  const cpu = ((1000 * cpuSeconds) / chunks).toFixed(2).padStart(7);
  const cores = (cpuSeconds / seconds).toFixed(2);
  console.log(`  ${name.padEnd(36)} ${rate} chunks/s ${cpu} ms CPU/chunk, ${cores} cores busy`);
}

/** How long each processor's handlers took, waiting included. */
async function handlerSeconds(url: string): Promise<ReadonlyMap<string, number>> {
  const figures = await (await fetch(`${url}/metrics`)).text();
  const sums = figures.matchAll(/^sluice_handler_seconds_sum\{processor="([^"]+)"[^}]*\} (\S+)$/gm);
  return new Map([...sums].map(([, processor = '', seconds]) => [processor, Number(seconds)]));
}

console.log(`\npipeline: ${documents.length} documents, ${(bytes / 1e6).toFixed(1)} MB, model of no cost`);
const texts: string[] = [];
const free = createFreeModel(384);
const listening: EmbeddingModel = {
  ...free,
  embedPassages: (given, signal) => {
    texts.push(...given);
    return free.embedPassages(given, signal);
  },
};
await withServer(
  documents,
  (ports) => dropping(withModel(listening)(ports)),
  async (run) => {
    texts.length = 0;
    report('vectors dropped', await run.load());
  },
);
await withServer(documents, withModel(free), async (run) => {
  const before = await handlerSeconds(run.url);
  const measured = await run.load();
  report('LanceDB', measured);
  const after = await handlerSeconds(run.url);
  console.log('  time in handlers, ms per chunk, waiting included');
  for (const [processor, seconds] of after) {
    const ms = ((seconds - (before.get(processor) ?? 0)) * 1000) / measured.chunks;
    if (ms > 0) console.log(`    ${processor.padEnd(34)} ${ms.toFixed(3).padStart(8)}`);
  }
});

console.log('\npipeline: main thread by part, LanceDB, under the profiler');
await withServer(documents, withModel(free), async (run) => {
  let measured: Load | undefined;
  const parts = await cpuByPart(async () => (measured = await run.load()));
  for (const [part, ms] of parts) {
    const each = ms / (measured?.chunks ?? NaN);
    if (each >= 0.005) console.log(`    ${part.padEnd(34)} ${each.toFixed(3).padStart(8)} ms/chunk`);
  }
});

console.log('\npipeline: the hashing model');
const hashing = createHashingModel();
await hashing.embedPassages(texts.slice(0, 500));
const start = performance.now();
const cpu = process.cpuUsage();
for (let from = 0; from < texts.length; from += hashing.maxBatch) {
  await hashing.embedPassages(texts.slice(from, from + hashing.maxBatch));
}
const bareSeconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(cpu);
report('the model alone', {
  ...{ documents: documents.length, chunks: texts.length, seconds: bareSeconds, cpuSeconds: (user + system) / 1e6 },
});
await withServer(documents, withModel(createHashingModel()), async (run) => {
  const measured = await run.load();
  report('the whole pipeline', measured);
  const ratio = measured.chunks / measured.seconds / (texts.length / bareSeconds);
  console.log(`  the pipeline reaches ${(100 * ratio).toFixed(0)} % of the model alone`);
});
