import { Command } from 'commander';
import type { SluiceApi } from '../../gateway/client/client.js';
import { repeated, wholeNumber } from '../arguments.js';
import { clientOf, outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { exitCodes } from '../exit-codes.js';
import { parseAttributes } from '../load/attributes.js';
import { checkPins } from '../load/check-pins.js';
import { ensureCollection } from '../load/ensure-collection.js';
import { describeSkipped, itemsOf, stdinItem, type Skipped, type Unreadable } from '../load/items.js';
import { ledgerPath, openLedger } from '../load/ledger.js';
import type { LoadItem, LoadPlan } from '../load/plan.js';
import { printSummary } from '../load/print-summary.js';
import { showProgress } from '../load/progress-lines.js';
import { runLoad } from '../load/run-load.js';
import { bytes, count, counted } from '../output/numbers.js';
import type { Output } from '../output/output.js';
import { safeLine, safeText } from '../output/safe-text.js';
import { UsageError } from '../usage-error.js';
import { pinsOf, withPins, type PinOptions } from '../pins.js';

interface LoadOptions extends ServerOptions, PinOptions {
  readonly collection: string;
  readonly id?: string;
  readonly name?: string;
  readonly title?: string;
  readonly tag?: readonly string[];
  readonly meta?: readonly string[];
  readonly contentType?: string;
  readonly flow?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly concurrency: number;
}

export const loadCommand = (cli: Cli): Command =>
  withPins(
    withServer(
      new Command('load')
        .description('Load files, folders and globs; - is standard input. Unchanged documents cost nothing.')
        .argument('<path...>'),
    ),
  )
    .option('-c, --collection <name>', 'load into this one; made if it is not there', 'default')
    .option('--id <id>', 'the document’s id: for one file; default: made of its path')
    .option('--name <name>', 'what standard input is called, such as notes.md')
    .option('--title <title>', 'a title for people')
    .option('--tag <tag>', 'a tag; may be given several times', repeated)
    .option('--meta <key=value>', 'metadata to filter by, such as year=2024; may be given several times', repeated)
    .option('--content-type <type>', 'the media type, where names and bytes do not say it')
    .option('--flow <name>', 'the flow that processes; default: "default"')
    .option('--force', 'make new versions even of what has not changed')
    .option('--dry-run', 'only count files, bytes, tokens and chunks')
    .option('--concurrency <count>', 'documents sent at a time', wholeNumber(1, 64), 8)
    .action(async (paths: string[], options: LoadOptions) => {
      const output = outputOf(cli, options);
      const plan = planOf(options);
      const skipped: Skipped = new Map();
      const standardInput = await standardInputOf(cli, paths, options);
      try {
        const items =
          standardInput === undefined ? itemsOf(paths, cli.cwd, options.id, skipped) : only(standardInput.item);
        if (options.dryRun === true) await dryRun(cli, output, options, items, skipped);
        else await withClient(options, (client) => load(cli, output, client, options, plan, items, skipped));
      } finally {
        await standardInput?.remove();
      }
    });

function standardInputOf(cli: Cli, paths: readonly string[], options: LoadOptions) {
  if (!paths.includes('-')) {
    if (options.name === undefined) return undefined;
    throw new UsageError('--name says what standard input is called: give - as the path, or leave it out');
  }
  if (paths.length > 1) throw new UsageError('- is standard input and one document: load files in another command');
  return stdinItem(cli.stdin, options.name, options.id, cli.signal);
}

async function* only(item: LoadItem): AsyncGenerator<LoadItem | Unreadable> {
  await Promise.resolve();
  yield item;
}

/** Throws UsageError. */
function planOf(options: LoadOptions): LoadPlan {
  return {
    collection: options.collection,
    force: options.force === true,
    concurrency: options.concurrency,
    ...(options.title === undefined ? {} : { title: options.title }),
    ...(options.tag === undefined ? {} : { tags: options.tag }),
    ...(options.meta === undefined ? {} : { metadata: parseAttributes(options.meta) }),
    ...(options.contentType === undefined ? {} : { contentType: options.contentType }),
    ...(options.flow === undefined ? {} : { flow: options.flow }),
    ...(options.embedding === undefined ? {} : { expectedSpace: options.embedding }),
    ...(options.chunkSize === undefined ? {} : { expectedChunkSize: options.chunkSize }),
    ...(options.chunkOverlap === undefined ? {} : { expectedChunkOverlap: options.chunkOverlap }),
  };
}

async function load(
  cli: Cli,
  output: Output,
  client: SluiceApi,
  options: LoadOptions,
  plan: LoadPlan,
  items: AsyncGenerator<LoadItem | Unreadable>,
  skipped: Skipped,
): Promise<void> {
  // What names nothing is told before a collection is made for it.
  const checked = await startedFrom(items);
  const wanted = { collection: plan.collection, ...pinsOf(options) };
  const { collection, notice } = await ensureCollection(client, wanted, cli.signal);
  checkPins(collection, plan);
  if (notice !== undefined) output.note(`created collection ${plan.collection}. ${safeText(notice)}`);
  const ledger = await openLedger(ledgerPath(cli.env, options.url, options.workspace ?? '', plan.collection));
  const run = runLoad(client, plan, ledger, checked, cli.signal, () =>
    progress.note('The server does not answer; trying again for two minutes. What it took is safe.'),
  );
  const progress = showProgress(output, run.progress);
  try {
    const summary = await run.done;
    progress.stop();
    if (skipped.size > 0) output.note(`left out ${safeLine(describeSkipped(skipped))}`);
    output.result(summary);
    printSummary(output, summary, plan.collection);
    if (summary.failed.length > 0) cli.exitCode = exitCodes.failed;
  } catch (error) {
    progress.stop();
    if (run.outstanding() > 0) {
      output.note(`The server took ${counted(run.outstanding(), 'document')} and goes on with them by itself.`);
    }
    if (!cli.signal.aborted) throw error;
    output.note('Interrupted: the same command goes on where this one stopped.');
    output.result(run.summary());
    printSummary(output, run.summary(), plan.collection);
    cli.exitCode = exitCodes.interrupted;
  }
}

/** The same items, the first of them looked for at once: so that errors in the arguments come first. */
async function startedFrom<T>(items: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await items.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* items;
  })();
}

async function dryRun(
  cli: Cli,
  output: Output,
  options: LoadOptions,
  items: AsyncGenerator<LoadItem | Unreadable>,
  skipped: Skipped,
): Promise<void> {
  // The tokenizer's tables are large, and nothing else needs them.
  const { estimate } = await import('../load/estimate.js');
  const chunkSize = options.chunkSize ?? (await chunkSizeOf(cli, options)) ?? 512;
  const { files, bytes: size, tokens, chunks, failed } = await estimate(items, chunkSize, cli.signal);
  output.result({ files, bytes: size, tokens, chunks, chunk_size: chunkSize, failed });
  output.line(
    `${counted(files, 'file')}, ${bytes(size)}, ${count(tokens)} tokens, about ${counted(chunks, 'chunk')} of ${chunkSize}.`,
  );
  for (const failure of failed) output.line(`  ${safeLine(failure.source)}: ${safeLine(failure.reason)}`);
  if (skipped.size > 0) output.note(`left out ${safeLine(describeSkipped(skipped))}`);
  output.line('Nothing was sent.');
  if (failed.length > 0) cli.exitCode = exitCodes.failed;
}

/** The size that the collection is pinned to, if a server that has it answers: a dry run needs none. */
async function chunkSizeOf(cli: Cli, options: LoadOptions): Promise<number | undefined> {
  const client = clientOf(options);
  try {
    return (await client.getCollection(options.collection, { signal: cli.signal })).chunker?.size;
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}
