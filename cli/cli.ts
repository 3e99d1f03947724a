import type { Readable } from 'node:stream';
import { Option, type Command } from 'commander';
import { SluiceClient, type SluiceApi } from '../gateway/client/client.js';
import { outputTo, type Output, type Sink } from './output/output.js';
import { UsageError } from './usage-error.js';

/** What a command has of the process it runs in. */
export interface Cli {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** What the process will end with; the last one set counts. */
  exitCode: number;
}

/** Where a server listens by its own defaults. */
export const defaultUrl = 'http://127.0.0.1:7300';

export interface JsonOptions {
  readonly json?: boolean;
}

export interface ServerOptions extends JsonOptions {
  readonly url: string;
  readonly apiKey?: string;
  readonly workspace?: string;
}

/** Gives a command `--json`. */
export const withJson = (command: Command): Command =>
  command.option('--json', 'print the result as JSON on stdout, errors too');

/** Gives a command everything that a call of the server needs. */
export const withServer = (command: Command): Command =>
  withJson(command)
    .addOption(new Option('--url <url>', 'where the server listens').env('SLUICE_URL').default(defaultUrl))
    .addOption(new Option('--api-key <key>', 'the key to speak with').env('SLUICE_API_KEY'))
    .addOption(
      new Option('--workspace <name>', 'the workspace to speak for; default: the key’s own').env('SLUICE_WORKSPACE'),
    );

export const outputOf = (cli: Cli, options: JsonOptions): Output =>
  outputTo(cli.stdout, cli.stderr, options.json === true, cli.env);

/** Throws UsageError unless the URL is one of HTTP. */
export function clientOf(options: ServerOptions): SluiceApi {
  if (!URL.canParse(options.url) || !/^https?:$/u.test(new URL(options.url).protocol)) {
    throw new UsageError(
      `--url ${JSON.stringify(options.url)} is not a URL of a server: write for example ${defaultUrl}`,
    );
  }
  return new SluiceClient({
    url: options.url,
    // A person waits: one more try is enough to bridge a hiccup.
    maxRetries: 1,
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
  });
}

/** Runs one command's work with a client that is closed afterwards, whatever happens. */
export async function withClient<T>(options: ServerOptions, work: (client: SluiceApi) => Promise<T>): Promise<T> {
  const client = clientOf(options);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
