import { Argument, Command } from 'commander';
import { outputOf, withJson, type Cli, type JsonOptions } from '../cli.js';
import { serverModule } from '../server-module.js';
import { homeOf, untilStopped, withHome, type HomeOptions } from './serve.js';

export const workerCommand = (cli: Cli): Command =>
  withHome(
    withJson(
      new Command('worker').description(
        'Run some of the processors in this process, beside others on the same servers. Names: librarian, decoder, chunker, embedder, vector-writer, query, document-rag, all.',
      ),
    ),
  )
    .addArgument(new Argument('<names...>', 'which processors'))
    .action(async (names: string[], options: HomeOptions & JsonOptions) => {
      const { work } = await serverModule();
      const running = await work(homeOf(cli, options), names);
      await untilStopped(cli, outputOf(cli, options), running, `Worker of ${names.join(', ')} tells of its health at`);
    });

export const gatewayCommand = (cli: Cli): Command =>
  withHome(
    withJson(new Command('gateway').description('Run the gateway alone; workers elsewhere do what it asks for.')),
  ).action(async (options: HomeOptions & JsonOptions) => {
    const { gatewayOnly } = await serverModule();
    const running = await gatewayOnly(homeOf(cli, options));
    await untilStopped(cli, outputOf(cli, options), running, 'The gateway listens at');
  });
