// The distributed run without the cost of models: a process of each kind, a model of no cost, points dropped or written
// to Qdrant. How fast it goes, how many bytes of Kafka's log a chunk takes, and what it asks of the other servers.
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { processesPerWorker, startDeployment, type Deployment } from '../journeys/deployment.js';
import { startServers } from '../stack/servers.js';
import { packageDocuments, type BenchDocument } from './documents.js';
import { load } from './load.js';
import type { Requests } from './requests.js';

const program = resolve('dist/test/bench/free-process.js');
const servers = await startServers();
const counts = await mkdtemp(join(tmpdir(), 'sluice-counts-'));

/** What all processes together have asked of servers so far. */
async function requests({ processes }: Deployment): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (const { process } of processes.values()) {
    const asked = Date.now();
    process.kill('SIGUSR2');
    for (;;) {
      const text = await readFile(join(counts, `${process.pid}.json`), 'utf8').catch(() => '');
      const said = text.endsWith('}') ? (JSON.parse(text) as Requests & { readonly at: number }) : undefined;
      if (said !== undefined && said.at >= asked) {
        for (const [name, count] of Object.entries(said.counts)) sums.set(name, (sums.get(name) ?? 0) + count);
        break;
      }
      await after(5); // it writes the file as soon as it gets to it
    }
  }
  return sums;
}

async function measured(deployment: Deployment, what: string, documents: readonly BenchDocument[]): Promise<void> {
  const collection = `c${Date.now()}`;
  await deployment.client.createCollection({ collection });
  const [before, bytesBefore] = [await requests(deployment), await logBytes()];
  const { chunks, seconds } = await load(deployment.client, collection, documents);
  const asked = new Map<string, number>();
  for (const [name, count] of await requests(deployment)) {
    const grown = count - (before.get(name) ?? 0);
    if (grown > 0) asked.set(name, grown);
  }
  const bytes = (await logBytes()) - bytesBefore;
  console.log(
    `\n${what}: ${documents.length} documents, ${chunks} chunks in ${seconds.toFixed(1)} s, ` +
      `${(chunks / seconds).toFixed(0)} chunks/s, ${(bytes / chunks).toFixed(0)} bytes of Kafka's log per chunk`,
  );
  for (const store of ['s3', 'qdrant', 'postgres']) {
    const parts = [...asked].filter(([name]) => name.startsWith(`${store} `)).sort(([, a], [, b]) => b - a);
    const sum = parts.reduce((total, [, count]) => total + count, 0);
    const named = parts.map(([name, count]) => `${count} ${name.slice(store.length + 1)}`).join(', ');
    console.log(
      `  ${store.padEnd(9)} ${String(sum).padStart(6)} requests, ${((1000 * sum) / chunks).toFixed(1)} per 1,000 chunks: ${named}`,
    );
  }
}

/** Of all segments of Kafka's log; not a number where it cannot be looked into. */
async function logBytes(): Promise<number> {
  const { logFolder } = servers.kafka;
  if (logFolder === undefined) return Number.NaN;
  let sum = 0;
  for (const name of await readdir(logFolder, { recursive: true })) {
    if (name.endsWith('.log'))
      sum += await stat(join(logFolder, name)).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return sum;
}

const texts = packageDocuments();
const paragraphs = texts.flatMap(({ body }) => body.split(/\n{2,}/)).filter((text) => text.length > 200);

/** One document of about so many chunks: real paragraphs, each under a heading, so each a chunk of its own. */
const long = (chunks: number): BenchDocument => ({
  id: 'long',
  body: Array.from({ length: chunks }, (_, part) => {
    const body = Array.from({ length: 6 }, (_, each) => paragraphs[(part * 6 + each) % paragraphs.length] ?? '').join(
      '\n\n',
    );
    return `# Part ${part}\n\n${body.slice(0, 1_800)}\n`;
  }).join('\n'),
});

const short = (count: number): readonly BenchDocument[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `short-${index}`,
    body: long(2).body.replaceAll('Part', `Note ${index}, part`),
  }));

try {
  for (const [what, settings] of [
    ['points dropped', { BENCH_DROP: '1' }],
    ['into Qdrant', {}],
  ] as const) {
    const layout = processesPerWorker(1);
    const deployment = await startDeployment(servers, layout, { ...settings, BENCH_COUNTS: counts }, () => program);
    try {
      await deployment.client.createCollection({ collection: 'warm' });
      await load(deployment.client, 'warm', texts.slice(0, 60));
      await measured(deployment, `${what}, real documentation`, texts);
      await measured(deployment, `${what}, one long document`, [long(1000)]);
      await measured(
        deployment,
        `${what}, ten long documents`,
        Array.from({ length: 10 }, (_, index) => ({ ...long(1000), id: `long-${index}` })),
      );
      await measured(deployment, `${what}, small documents`, short(500));
    } finally {
      await deployment.stop();
    }
  }
} finally {
  await servers.stop();
  await rm(counts, { recursive: true });
}
