import { Command } from 'commander';
import type { RecoverRequest } from '../../gateway/client/client.js';
import { wholeNumber } from '../arguments.js';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { count } from '../output/numbers.js';
import { UsageError } from '../usage-error.js';

interface RecoverOptions extends ServerOptions {
  readonly stalledAfter?: number;
  readonly batchSize?: number;
  readonly dryRun?: boolean;
  readonly orphans?: boolean;
  readonly force?: boolean;
}

export const recoverCommand = (cli: Cli): Command =>
  withServer(
    new Command('recover').description(
      'Look now for documents that stalled and for replaced versions that are due to be removed; the server does so by itself every few minutes.',
    ),
  )
    .option(
      '--stalled-after <seconds>',
      'how long a document must have been silent; 0: all that no queue holds any more',
      wholeNumber(0, 31_536_000),
    )
    .option('--batch-size <count>', 'how many in one step', wholeNumber(1, 10_000))
    .option('--dry-run', 'only count')
    .option('--orphans', 'remove vectors of versions that the catalog does not know, too')
    .option('--force', 'with --orphans: even if they are more than 1 % of all vectors')
    .action(async (options: RecoverOptions) => {
      if (options.force === true && options.orphans !== true) throw new UsageError('--force goes with --orphans');
      const output = outputOf(cli, options);
      const request: RecoverRequest = {
        ...(options.stalledAfter === undefined ? {} : { stalled_after_ms: options.stalledAfter * 1_000 }),
        ...(options.batchSize === undefined ? {} : { batch_size: options.batchSize }),
        dry_run: options.dryRun ?? false,
        orphans: options.orphans ?? false,
        force: options.force ?? false,
      };
      await withClient(options, async (client) => {
        const found = await client.recover(request, { signal: cli.signal });
        output.result(found);
        const { redriven, failed, purged, skipped_no_workspace: skipped, held, orphans } = found;
        const would = options.dryRun === true ? 'would be ' : '';
        output.line(
          `${count(redriven)} ${would}driven again, ${count(failed)} ${would}given up, ${count(purged)} ${would}purged`,
        );
        if (skipped > 0) output.line(`${count(skipped)} without a workspace were left alone`);
        if (held !== null) {
          output.line(
            `${held.group} has not read all of ${held.topic} (partition ${held.partition}): until it has, nothing new counts as stalled`,
          );
        }
        if (orphans !== null) {
          output.line(
            `${count(orphans.orphans)} of ${count(orphans.points)} vectors are orphans; ${count(orphans.removed)} removed`,
          );
        }
      });
    });
