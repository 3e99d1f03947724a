import { Command, Option } from 'commander';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';
import { followConversion, printConversion } from '../collections/follow-conversion.js';
import { pinsOf, withChunks, type PinOptions } from '../pins.js';

interface RechunkOptions extends ServerOptions, Omit<PinOptions, 'embedding'> {
  readonly chunkStrategy?: 'structure' | 'fixed';
  readonly watch?: boolean;
}

export const rechunkCommand = (cli: Cli): Command =>
  withChunks(
    withServer(
      new Command('rechunk')
        .description('Cut the texts of a collection anew, each beside the chunks that answer until it is done.')
        .argument('<collection>'),
    ),
  )
    .addOption(new Option('--chunk-strategy <strategy>', 'how texts are cut').choices(['structure', 'fixed']))
    .option('--watch', 'until it has ended')
    .action(async (collection: string, options: RechunkOptions) => {
      const output = outputOf(cli, options);
      await withClient(options, async (client) => {
        const chunker = {
          ...pinsOf(options).chunker,
          ...(options.chunkStrategy === undefined ? {} : { strategy: options.chunkStrategy }),
        };
        const { operation_id: operation } = await client.rechunkCollection(collection, chunker, { signal: cli.signal });
        if (options.watch === true) await followConversion(cli, output, client, { collection, operation });
        else await printConversion(output, client, { collection, operation, signal: cli.signal });
      });
    });
