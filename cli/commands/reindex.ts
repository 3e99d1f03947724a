import { Command } from 'commander';
import type { ReindexPlan } from '../../gateway/client/client.js';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { followConversion, printConversion } from '../collections/follow-conversion.js';
import { exitCodes } from '../exit-codes.js';
import { count, counted } from '../output/numbers.js';
import type { Output } from '../output/output.js';
import { safeLine } from '../output/safe-text.js';
import { UsageError } from '../usage-error.js';

interface ReindexOptions extends ServerOptions {
  readonly model?: string;
  readonly dryRun?: boolean;
  readonly abort?: boolean;
  readonly skipFailed?: boolean;
  readonly watch?: boolean;
}

export const reindexCommand = (cli: Cli): Command =>
  withServer(
    new Command('reindex')
      .description(
        'Embed a collection with another model, while it is read and written; without options, how far it is.',
      )
      .argument('<collection>'),
  )
    .option('--model <model>', 'the model, by its name or its space')
    .option('--dry-run', 'say what it would do, and do nothing')
    .option('--abort', 'leave everything as it was')
    .option('--skip-failed', 'let it end without the documents that failed in it')
    .option('--watch', 'until it has ended')
    .action(async (collection: string, options: ReindexOptions) => {
      checkOptions(options);
      const output = outputOf(cli, options);
      const call = { signal: cli.signal };
      await withClient(options, async (client) => {
        const { model } = options;
        if (options.dryRun === true && model !== undefined) {
          const plan = await client.planReindex(collection, model, call);
          output.result(plan);
          printPlan(output, plan);
          return;
        }
        const begun =
          options.abort === true
            ? await client.abortReindex(collection, call)
            : options.skipFailed === true
              ? await client.skipFailedInReindex(collection, call)
              : model === undefined
                ? undefined
                : await client.reindexCollection(collection, model, call);
        // What an abort or a skip asks for happens at once.
        if (begun !== undefined && options.abort === true) {
          const { state, reason } = await client.waitForOperation(begun.operation_id, call);
          output.result({ collection, state, reason });
          output.line(state === 'ready' ? `aborted: ${collection} is as it was` : safeLine(reason ?? state));
          if (state !== 'ready') cli.exitCode = exitCodes.failed;
        } else if (options.watch === true) {
          await followConversion(cli, output, client, { collection, operation: begun?.operation_id });
        } else {
          await printConversion(output, client, { collection, operation: begun?.operation_id, signal: cli.signal });
        }
      });
    });

function checkOptions({ model, dryRun, abort, skipFailed }: ReindexOptions): void {
  const asked = [model !== undefined, abort === true, skipFailed === true].filter((one) => one).length;
  if (asked > 1) throw new UsageError('give one of --model, --abort and --skip-failed');
  if (dryRun === true && model === undefined) throw new UsageError('--dry-run needs --model: say with which one');
}

function printPlan(output: Output, { from, to, documents, chunks, windowed_chunks: windowed }: ReindexPlan): void {
  output.line(
    `${counted(documents, 'document')} with ${counted(chunks, 'chunk')} would move ` +
      `from ${from.model}/${from.dimensions} to ${to.model}/${to.dimensions}`,
  );
  output.line(
    `${count(windowed)} of the chunks ${windowed === 1 ? 'is' : 'are'} longer than the window of ${to.model}: ` +
      'each would be embedded in parts, whose mean stands for it',
  );
}
