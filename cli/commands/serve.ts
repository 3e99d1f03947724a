import { Command, Option } from 'commander';
import { wholeNumber } from '../arguments.js';
import { outputOf, withJson, type Cli, type JsonOptions } from '../cli.js';
import { serverModule, type ServeOptions } from '../server-module.js';

export interface HomeOptions {
  readonly data?: string;
  readonly config?: string;
}

/** Gives a command the options that say where a server lives on this machine. */
export const withHome = (command: Command): Command =>
  command
    .addOption(new Option('--data <folder>', 'the folder that holds everything; default: ./.sluice').env('SLUICE_DATA'))
    .addOption(new Option('--config <file>', 'a YAML file of settings').env('SLUICE_CONFIG'));

/** These options as the server takes them. */
export const homeOf = (cli: Cli, options: HomeOptions): ServeOptions => ({
  env: cli.env,
  ...(options.data === undefined ? {} : { data: options.data }),
  ...(options.config === undefined ? {} : { config: options.config }),
});

interface Options extends HomeOptions, JsonOptions {
  readonly host?: string;
  readonly port?: number;
}

export const serveCommand = (cli: Cli): Command =>
  withHome(withJson(new Command('serve').description('Run the server, with everything in one process and one folder.')))
    .option('--host <address>', 'the address to listen on; default: 127.0.0.1')
    .option('--port <port>', 'the port to listen on; 0: a free one; default: 7300', wholeNumber(0, 65_535))
    .action(async (options: Options) => {
      const output = outputOf(cli, options);
      const { serve } = await serverModule();
      const server = await serve({
        ...homeOf(cli, options),
        ...(options.host === undefined ? {} : { host: options.host }),
        ...(options.port === undefined ? {} : { port: options.port }),
      });
      await untilStopped(cli, output, server, 'Sluice listens at');
    });

/** Says where a server listens, and keeps it until this process is told to stop. */
export async function untilStopped(
  cli: Cli,
  output: ReturnType<typeof outputOf>,
  server: { readonly url: string; close(): Promise<void> },
  what: string,
): Promise<void> {
  // One line, so that whoever started it can read it as soon as it is there.
  if (output.json) cli.stdout.write(`${JSON.stringify({ listening: server.url })}\n`);
  output.line(`${what} ${output.out.bold(server.url)} (Ctrl-C stops it)`);
  await stopped(cli.signal);
  await server.close();
}

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
