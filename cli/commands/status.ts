import { Command } from 'commander';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { count } from '../output/numbers.js';
import { watchChanges } from '../output/watch-changes.js';

interface StatusOptions extends ServerOptions {
  readonly watch?: boolean;
  readonly collection?: string;
  readonly after?: string;
}

export const statusCommand = (cli: Cli): Command =>
  withServer(new Command('status').description('Say how many documents are in which state.'))
    .option('-w, --watch', 'then go on and say each change of a document as it happens, until Ctrl-C')
    .option('-c, --collection <name>', 'watch this one; default: all')
    .option('--after <cursor>', 'watch on behind the event that had this cursor')
    .action(async (options: StatusOptions) => {
      const output = outputOf(cli, options);
      if (options.watch === true || options.after !== undefined) {
        await withClient(options, (client) => watchChanges(cli, output, client, options));
        return;
      }
      await withClient(options, async (client) => {
        const status = await client.status({ signal: cli.signal });
        const { documents, chunks, vectors, dead_letters } = status;
        output.result({ documents, chunks, vectors, dead_letters });
        const style = output.out;
        output.line(
          `${style.bold(`Sluice ${status.version}`)} at ${options.url}, workspace ${style.bold(status.workspace)}`,
        );
        output.line(
          `  documents    ${count(documents.ready)} ready, ${count(documents.processing)} processing, ` +
            `${count(documents.pending)} pending, ${count(documents.failed)} failed`,
        );
        output.line(`  chunks       ${count(chunks)}, with ${count(vectors)} vectors`);
        output.line(`  collections  ${count(status.collections)}`);
        output.line(`  dead letters ${count(dead_letters)}`);
        if (documents.failed > 0)
          output.line(`\nWhy they failed: ${style.cyan('sluice documents list --state failed')}`);
        if (dead_letters > 0) output.line(`\nWhat was given up: ${style.cyan('sluice dead-letters list')}`);
      });
    });
