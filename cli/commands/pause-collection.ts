import { Command } from 'commander';
import { outputOf, withClient, withServer, type Cli, type ServerOptions } from '../cli.js';

/** `sluice collections pause`. */
export const pauseCollectionCommand = (cli: Cli): Command =>
  withServer(
    new Command('pause')
      .description('Let new versions of a collection wait; what is at work ends, and what is there answers.')
      .argument('<collection>'),
  ).action(async (collection: string, options: ServerOptions) => {
    const output = outputOf(cli, options);
    await withClient(options, async (client) => {
      output.result(await client.pauseCollection(collection, { signal: cli.signal }));
      output.line(`paused ${collection}: go on with "sluice collections resume ${collection}"`);
    });
  });

/** `sluice collections resume`. */
export const resumeCollectionCommand = (cli: Cli): Command =>
  withServer(
    new Command('resume').description('Put what waits in a paused collection to work.').argument('<collection>'),
  ).action(async (collection: string, options: ServerOptions) => {
    const output = outputOf(cli, options);
    await withClient(options, async (client) => {
      output.result(await client.resumeCollection(collection, { signal: cli.signal }));
      output.line(`resumed ${collection}`);
    });
  });
