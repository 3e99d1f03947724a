import { SluiceClient, type SluiceApi } from '../../gateway/client/client.js';
import type { Cli } from '../cli.js';
import { pinsOf, type PinOptions } from '../pins.js';
import { liveLines } from '../output/live-lines.js';
import { count, counted, duration } from '../output/numbers.js';
import type { Output } from '../output/output.js';
import { startTemporaryServer } from '../server-process.js';
import { loadCorpus, readCorpora, type Corpus } from './corpora.js';
import { evaluate } from './evaluate.js';
import { printEvaluation } from './report.js';

export interface EvalOptions extends PinOptions {
  readonly fusion?: 'rrf' | 'relative';
  readonly denseWeight?: number;
  readonly corpus?: readonly string[];
  readonly questions?: readonly string[];
}

const collection = 'evaluation';

/** Loads the corpora into a temporary server, asks every question and tells the figures. */
export async function runEval(cli: Cli, output: Output, options: EvalOptions): Promise<void> {
  const corpora = await readCorpora(options.corpus ?? [], options.questions ?? []);
  const server = await startTemporaryServer(cli.env, cli.signal);
  try {
    const client = new SluiceClient({ url: server.url });
    try {
      await measure(cli, output, client, corpora, options);
    } finally {
      await client.close();
    }
  } finally {
    await server.stop();
  }
}

async function measure(
  cli: Cli,
  output: Output,
  client: SluiceApi,
  corpora: readonly Corpus[],
  options: EvalOptions,
): Promise<void> {
  const began = performance.now();
  const pinned = await client.createCollection({ collection, ...pinsOf(options) }, { signal: cli.signal });
  let chunks = 0;
  for (const corpus of corpora) chunks += await loadCorpus(client, collection, corpus, cli.signal);
  const loaded = (performance.now() - began) / 1000;

  const total = corpora.reduce((sum, corpus) => sum + corpus.questions.length, 0);
  let asked = 0;
  const progress = output.err.interactive
    ? liveLines(output.stderr, output.err, () => [`  asked ${count(asked)} of ${count(total)} questions`])
    : undefined;
  const fusion = {
    ...(options.fusion === undefined ? {} : { fusion: options.fusion }),
    ...(options.denseWeight === undefined ? {} : { dense_weight: options.denseWeight }),
  };
  const evaluation = await evaluate(client, { collection, fusion }, corpora, cli.signal, () => asked++).finally(() =>
    progress?.clear(),
  );
  const seconds = (performance.now() - began) / 1000;

  output.result({
    embedding: pinned.space,
    chunker: pinned.chunker,
    chunks,
    ...evaluation,
    seconds: Math.round(seconds * 1000) / 1000,
  });
  output.line(
    `${counted(corpora.length, 'corpus', 'corpora')} in one collection, ${counted(chunks, 'chunk')} of at most ` +
      `${pinned.chunker?.size ?? 0} tokens, ${pinned.space.model}/${pinned.space.dimensions}: ` +
      `loaded in ${duration(loaded)}, asked in ${duration(seconds - loaded)}`,
  );
  printEvaluation(output, evaluation);
}
