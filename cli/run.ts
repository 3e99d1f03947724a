import { CommanderError } from 'commander';
import type { Cli } from './cli.js';
import { describeError, exitCodeOf, exitCodes } from './exit-codes.js';
import { outputTo } from './output/output.js';
import { buildProgram } from './program.js';

/** Runs one command line; resolves with the exit code and never throws. */
export async function run(cli: Cli, args: readonly string[], version: string): Promise<number> {
  const program = buildProgram(cli, version);
  const asked = args.length === 0 ? ['--help'] : args;
  try {
    await program.parseAsync([...asked], { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    if (cli.signal.aborted) return exitCodes.interrupted;
    const told =
      error instanceof CommanderError && error.code === 'commander.help' ? helpAsked(args) : describeError(error);
    outputTo(cli.stdout, cli.stderr, args.includes('--json'), cli.env).error(told);
    return exitCodeOf(told.code);
  }
}

/** A group such as `documents` was named without what to do. */
const helpAsked = (args: readonly string[]): { code: string; message: string } => ({
  code: 'usage',
  message: `"sluice ${args.join(' ')}" needs a command after it: see sluice ${args.join(' ')} --help`,
});
