import { Command } from 'commander';
import { textOf } from '../arguments.js';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { factsOf } from '../output/explain.js';
import { printHits } from '../output/hits.js';
import { retrievalOf, withRetrieval, type RetrievalOptions } from './retrieval-options.js';

interface SearchOptions extends ServerOptions, RetrievalOptions {
  readonly explain?: boolean;
}

export const searchCommand = (cli: Cli): Command =>
  withServer(
    withRetrieval(new Command('search').description('Find the chunks that fit a question.').argument('<query...>')),
  )
    .option('--explain', 'say which list gave which rank, and why')
    .action(async (words: string[], options: SearchOptions) => {
      const output = outputOf(cli, options);
      const request = {
        query: textOf(words, 'query'),
        ...retrievalOf(options),
        ...(options.explain === true ? { explain: true } : {}),
      };
      await withClient(options, async (client) => {
        const found = await client.search(request, { signal: cli.signal });
        output.result({
          hits: found.hits,
          ...(found.explain === undefined ? {} : { explain: found.explain }),
          ...(found.missing_lists.length === 0 ? {} : { missing_lists: found.missing_lists }),
        });
        if (found.hits.length === 0) output.line('Nothing found.');
        printHits(output, request.query, found.hits, cli.cwd);
        if (found.explain !== undefined) {
          output.line(output.out.bold('The search as a whole'));
          for (const line of factsOf(found.explain)) output.line(output.out.dim(`  ${line}`));
        }
      });
    });
