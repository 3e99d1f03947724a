import { Command } from 'commander';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { exitCodes } from '../exit-codes.js';
import { safeLine } from '../output/safe-text.js';
import { UsageError } from '../usage-error.js';

interface RetryOptions extends ServerOptions {
  readonly collection: string;
  readonly failed?: boolean;
}

/** `sluice documents retry`. */
export const retryDocumentCommand = (cli: Cli): Command =>
  withServer(
    new Command('retry')
      .description('Put failed documents to work again where they stopped, and wait for how that ends.')
      .argument('[document-id...]'),
  )
    .option('-c, --collection <name>', 'the collection of the documents', 'default')
    .option('--failed', 'all failed ones of the collection')
    .action(async (given: string[], options: RetryOptions) => {
      const output = outputOf(cli, options);
      const { collection } = options;
      if (given.length > 0 === (options.failed === true)) throw new UsageError('give ids of documents, or --failed');
      await withClient(options, async (client) => {
        const ids = [...given];
        if (options.failed === true) {
          const selection = { collection, state: 'failed', limit: 500 } as const;
          for await (const one of client.listDocuments(selection, { signal: cli.signal })) ids.push(one.document_id);
        }
        const operations: (readonly [string, string])[] = [];
        for (const id of new Set(ids)) {
          const { operation_id } = await client.retryDocument(collection, id, { signal: cli.signal });
          operations.push([id, operation_id]);
        }
        const retried: { document_id: string; state: string; code: string | null; reason: string | null }[] = [];
        for (const [id, operationId] of operations) {
          const { state, code, reason } = await client.waitForOperation(operationId, { signal: cli.signal });
          retried.push({ document_id: id, state, code, reason });
          output.line(`${safeLine(id)}: ${state}${reason === null ? '' : `, ${safeLine(reason)}`}`);
          if (state === 'failed' || state === 'refused') cli.exitCode = exitCodes.failed;
        }
        output.result({ retried });
      });
    });
