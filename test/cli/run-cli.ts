import { PassThrough, Readable } from 'node:stream';
import { run } from '../../cli/run.js';

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON. */
  json(): unknown;
}

interface CliSetting {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

/** Runs the whole command line in this process, over captured streams that are no terminal. */
export async function runCli(args: readonly string[], setting: CliSetting = {}): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  const cli = {
    env: setting.env ?? {},
    cwd: setting.cwd ?? process.cwd(),
    stdin: setting.stdin === undefined ? new PassThrough().end() : Readable.from([Buffer.from(setting.stdin)]),
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    signal: setting.signal ?? new AbortController().signal,
    exitCode: 0,
  };
  const exitCode = await run(cli, args, '0.1.0');
  return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) as unknown };
}
