import { Command } from 'commander';
import { SluiceClient, type AskResult, type SluiceApi } from '../../gateway/client/client.js';
import { outputOf, withJson, type Cli, type JsonOptions } from '../cli.js';
import { itemsOf } from '../load/items.js';
import { openLedger } from '../load/ledger.js';
import { runLoad } from '../load/run-load.js';
import type { LoadSummary } from '../load/tally.js';
import { answerWriter, printSources } from '../output/answer.js';
import { count, counted } from '../output/numbers.js';
import type { Output } from '../output/output.js';
import { fastifyDocs } from '../quickstart/docs.js';
import { printExplained } from '../quickstart/explained.js';
import { printNextSteps } from '../quickstart/next-steps.js';
import { questions } from '../quickstart/questions.js';
import { step } from '../quickstart/steps.js';
import { startTemporaryServer } from '../server-process.js';
import { answerShape, streamed } from './ask.js';

const collection = 'fastify';

export const quickstartCommand = (cli: Cli): Command =>
  withJson(
    new Command('quickstart').description('See it work: a temporary server, real documents, three questions.'),
  ).action(async (options: JsonOptions) => {
    const output = outputOf(cli, options);
    const began = performance.now();
    output.line(`${output.out.bold('Sluice')}: documents in, answers with checkable citations out.\n`);
    const server = await step(
      output,
      'starting a server',
      () => startTemporaryServer(cli.env, cli.signal),
      () => '',
      () => 'a server of its own, with a temporary data folder',
    );
    try {
      const client = new SluiceClient({ url: server.url });
      try {
        await show(cli, output, client, began);
      } finally {
        await client.close();
      }
    } finally {
      await server.stop();
    }
  });

async function show(cli: Cli, output: Output, client: SluiceApi, began: number): Promise<void> {
  const docs = fastifyDocs();
  const summary = await loadDocs(cli, output, client, docs);
  const answers: AskResult[] = [];
  for (const question of questions) {
    output.line(`\n${output.out.bold(`? ${question}`)}\n`);
    const writer = answerWriter(output);
    const result = await streamed(client, { question, collections: [collection], limit: 5 }, writer.write, cli.signal);
    writer.end();
    printSources(output, result, docs, 2);
    answers.push(result);
  }
  const query = questions[0];
  const explained = await client.search(
    { query, collections: [collection], limit: 3, explain: true },
    { signal: cli.signal },
  );
  printExplained(output, query, explained, docs);
  printNextSteps(output);
  output.result({
    load: summary,
    answers: answers.map((answer, index) => ({ question: questions[index], ...answerShape(answer) })),
    search: { query, hits: explained.hits, explain: explained.explain },
    seconds: Math.round(performance.now() - began) / 1000,
  });
}

async function loadDocs(cli: Cli, output: Output, client: SluiceApi, docs: string): Promise<LoadSummary> {
  await client.createCollection({ collection }, { signal: cli.signal });
  const plan = { collection, force: false, concurrency: 8 };
  const ledger = await openLedger();
  const run = runLoad(
    client,
    plan,
    ledger,
    itemsOf([docs], cli.cwd, undefined, new Map()),
    cli.signal,
    () => undefined,
  );
  return step(
    output,
    'loading the documentation of Fastify:',
    () => run.done,
    () => {
      const { ready, found, chunks } = run.progress();
      return `${count(ready)} of ${count(found)} documents, ${count(chunks)} chunks`;
    },
    (summary) =>
      `the documentation of Fastify, from ${docs}: ${counted(summary.new, 'document')}, ${counted(summary.chunks, 'chunk')}` +
      (summary.failed.length > 0 ? `, ${count(summary.failed.length)} failed` : ''),
  );
}
