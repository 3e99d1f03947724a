import { Command } from 'commander';
import type { SluiceApi, SyncRoot } from '../../gateway/client/client.js';
import { SluiceApiError } from '../../gateway/client/client.js';
import { repeated, wholeNumber } from '../arguments.js';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { exitCodes } from '../exit-codes.js';
import { parseAttributes } from '../load/attributes.js';
import { ensureCollection } from '../load/ensure-collection.js';
import { describeSkipped, type Skipped } from '../load/items.js';
import { ledgerPath, openLedger } from '../load/ledger.js';
import { showProgress } from '../load/progress-lines.js';
import type { LoadRun } from '../load/run-load.js';
import type { Output } from '../output/output.js';
import { safeLine, safeText } from '../output/safe-text.js';
import { printPlan, printSync } from '../sync/print.js';
import type { SyncRequest } from '../sync/request.js';
import { recordedForm } from '../sync/roots.js';
import { planSync, runSync } from '../sync/run-sync.js';
import { UsageError } from '../usage-error.js';

interface SyncOptions extends ServerOptions {
  readonly collection: string;
  readonly prune?: boolean;
  readonly allowEmpty?: boolean;
  readonly dryRun?: boolean;
  readonly forget?: boolean;
  readonly roots?: boolean;
  readonly tag?: readonly string[];
  readonly meta?: readonly string[];
  readonly concurrency: number;
}

export const syncCommand = (cli: Cli): Command =>
  withServer(
    new Command('sync')
      .description('Bring a collection to what folders, globs and URLs hold; they are recorded for the next time.')
      .argument('[root...]', 'default: all that are recorded'),
  )
    .option('-c, --collection <name>', 'the collection; made if it is not there', 'default')
    .option('--prune', 'delete the documents whose files are gone, under these roots only')
    .option('--allow-empty', 'prune even under a folder that gives no file any more')
    .option('--dry-run', 'only say what is new, changed and gone')
    .option('--tag <tag>', 'a tag of what these roots give; may be given several times', repeated)
    .option('--meta <key=value>', 'metadata of what these roots give; may be given several times', repeated)
    .option('--roots', 'only list the recorded roots')
    .option('--forget', 'record the given roots no more; documents stay')
    .option('--concurrency <count>', 'documents sent at a time', wholeNumber(1, 64), 8)
    .action(async (given: string[], options: SyncOptions) => {
      const output = outputOf(cli, options);
      const roots = await rootsOf(cli, given, options);
      await withClient(options, async (client) => {
        if (options.roots === true || options.forget === true) await showRoots(cli, output, client, options, roots);
        else await sync(cli, output, client, options, roots);
      });
    });

/** Throws UsageError. */
async function rootsOf(cli: Cli, given: readonly string[], options: SyncOptions): Promise<SyncRoot[]> {
  if (given.length === 0 && (options.tag ?? options.meta) !== undefined) {
    throw new UsageError('--tag and --meta belong to the roots that are given: name them');
  }
  if (given.length === 0 && options.forget === true) throw new UsageError('--forget needs the roots to forget');
  const roots = new Map<string, SyncRoot>();
  for (const argument of given) {
    const root = await recordedForm(argument, cli.cwd);
    roots.set(root, {
      root,
      ...(options.tag === undefined ? {} : { tags: [...options.tag] }),
      ...(options.meta === undefined ? {} : { metadata: metadataOf(options.meta) }),
    });
  }
  return [...roots.values()];
}

const metadataOf = (given: readonly string[]): NonNullable<SyncRoot['metadata']> =>
  Object.fromEntries(
    Object.entries(parseAttributes(given)).map(([key, value]) => [key, typeof value === 'object' ? [...value] : value]),
  );

async function showRoots(
  cli: Cli,
  output: Output,
  client: SluiceApi,
  options: SyncOptions,
  roots: readonly SyncRoot[],
): Promise<void> {
  const { signal } = cli;
  const recorded =
    options.forget === true
      ? await client.changeSyncRoots(options.collection, { forget: roots.map(({ root }) => root) }, { signal })
      : await client.syncRoots(options.collection, { signal });
  output.result({ roots: recorded });
  for (const { root } of recorded) output.line(safeLine(root));
  if (recorded.length === 0) output.line('No roots are recorded.');
}

async function sync(
  cli: Cli,
  output: Output,
  client: SluiceApi,
  options: SyncOptions,
  given: readonly SyncRoot[],
): Promise<void> {
  const { collection } = options;
  const skipped: Skipped = new Map();
  let progress: ReturnType<typeof showProgress> | undefined;
  const request: Omit<SyncRequest, 'roots'> = {
    ...{ client, collection, skipped, concurrency: options.concurrency, signal: cli.signal },
    ledger: await openLedger(ledgerPath(cli.env, options.url, options.workspace ?? '', collection)),
    prune: options.prune === true,
    allowEmpty: options.allowEmpty === true,
    onLoad: (run: LoadRun) => {
      progress?.stop();
      progress = showProgress(output, run.progress);
    },
    onWaiting: () => progress?.note('The server does not answer; trying again for two minutes.'),
  };
  if (options.dryRun === true) {
    const roots = replayed(given, await recordedRoots(client, collection, cli.signal));
    const plan = await planSync({ ...request, roots });
    output.result(plan);
    printPlan(output, plan);
    if (plan.failed.length > 0) cli.exitCode = exitCodes.failed;
    return;
  }
  const { notice } = await ensureCollection(client, { collection }, cli.signal);
  if (notice !== undefined) output.note(`created collection ${collection}. ${safeText(notice)}`);
  const roots = replayed(given, await client.syncRoots(collection, { signal: cli.signal }));
  if (given.length > 0) await client.changeSyncRoots(collection, { record: roots }, { signal: cli.signal });
  try {
    const summary = await runSync({ ...request, roots });
    progress?.stop();
    if (skipped.size > 0) output.note(`left out ${safeLine(describeSkipped(skipped))}`);
    output.result(summary);
    printSync(output, summary, request.prune);
    if (summary.failed.length > 0) cli.exitCode = exitCodes.failed;
  } finally {
    progress?.stop();
  }
}

/**
 * The roots that were given, with the tags and metadata that they were recorded with if none are given; without any,
 * all that are recorded. Throws UsageError if there are none either.
 */
function replayed(given: readonly SyncRoot[], recorded: readonly SyncRoot[]): SyncRoot[] {
  const known = new Map(recorded.map((root) => [root.root, root]));
  const roots =
    given.length === 0
      ? [...recorded]
      : given.map((root) => (root.tags === undefined && root.metadata === undefined && known.get(root.root)) || root);
  if (roots.length === 0) throw new UsageError('no roots are recorded: name folders, globs or URLs to sync');
  return roots;
}

async function recordedRoots(client: SluiceApi, collection: string, signal: AbortSignal): Promise<SyncRoot[]> {
  try {
    return await client.syncRoots(collection, { signal });
  } catch (error) {
    if (error instanceof SluiceApiError && error.code === 'collection-not-found') return [];
    throw error;
  }
}
