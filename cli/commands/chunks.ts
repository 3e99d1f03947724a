import { Command } from 'commander';
import type { Chunk } from '../../gateway/client/client.js';
import { wholeNumber } from '../arguments.js';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { safeLine, safeText } from '../output/safe-text.js';
import { placeOf } from '../output/sources.js';
import { table } from '../output/table.js';
import { clip } from '../output/wrap.js';

interface ListOptions extends ServerOptions {
  readonly collection: string;
  readonly limit: number;
}

export const chunksCommand = (cli: Cli): Command =>
  new Command('chunks')
    .description('Look at the chunks that documents were cut into.')
    .addCommand(showCommand(cli))
    .addCommand(listCommand(cli));

const showCommand = (cli: Cli): Command =>
  withServer(new Command('show').description('Print one chunk.').argument('<chunk-id>')).action(
    async (chunkId: string, options: ServerOptions) => {
      const output = outputOf(cli, options);
      await withClient(options, async (client) => {
        const chunk = await client.chunk(chunkId, { signal: cli.signal });
        output.result(chunk);
        output.line(placeOf(chunk, cli.cwd, output.out));
        output.line(
          output.out.dim(
            `chunk ${chunk.seq} of version ${chunk.version}, characters ${chunk.start} to ${chunk.end}` +
              (chunk.page === null ? '' : `, page ${chunk.page}`),
          ),
        );
        output.line();
        output.line(safeText((chunk.lead ?? '') + chunk.text).trimEnd());
      });
    },
  );

const listCommand = (cli: Cli): Command =>
  withServer(new Command('list').description('List the chunks of a document.').argument('<document-id>'))
    .option('-c, --collection <name>', 'the collection of the document', 'default')
    .option('-n, --limit <count>', 'how many at most', wholeNumber(1, 1_000_000), 100)
    .action(async (documentId: string, options: ListOptions) => {
      const output = outputOf(cli, options);
      await withClient(options, async (client) => {
        const chunks: Chunk[] = [];
        let more = false;
        for await (const chunk of client.documentChunks(options.collection, documentId, { signal: cli.signal })) {
          more = chunks.length === options.limit;
          if (more) break;
          chunks.push(chunk);
        }
        output.result({ chunks, more });
        if (chunks.length === 0) {
          output.line('This document has no chunks.');
          return;
        }
        const room = Math.max(20, output.out.width - 24);
        output.line(
          table(
            ['seq', 'start', 'end', 'text'],
            chunks.map((one) => [`${one.seq}`, `${one.start}`, `${one.end}`, clip(safeLine(one.text), room)]),
          ),
        );
        if (more) output.line(output.out.dim(`and more: give --limit`));
      });
    });
