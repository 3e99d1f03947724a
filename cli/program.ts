import { Command } from 'commander';
import type { Cli } from './cli.js';
import { askCommand } from './commands/ask.js';
import { chunksCommand } from './commands/chunks.js';
import { collectionsCommand } from './commands/collections.js';
import { configCommand } from './commands/config.js';
import { deadLettersCommand } from './commands/dead-letters.js';
import { doctorCommand } from './commands/doctor.js';
import { documentsCommand } from './commands/documents.js';
import { evalCommand } from './commands/eval.js';
import { loadCommand } from './commands/load.js';
import { quickstartCommand } from './commands/quickstart.js';
import { recoverCommand } from './commands/recover.js';
import { searchCommand } from './commands/search.js';
import { serveCommand } from './commands/serve.js';
import { statusCommand } from './commands/status.js';
import { syncCommand } from './commands/sync.js';
import { topicsCommand } from './commands/topics.js';
import { gatewayCommand, workerCommand } from './commands/worker.js';

/** The `sluice` command with everything under it. Errors are thrown, nothing ends the process. */
export function buildProgram(cli: Cli, version: string): Command {
  const program = new Command('sluice')
    .description('Documents in, answers with checkable citations out.')
    .version(version, '--version')
    .helpCommand(false)
    .showSuggestionAfterError();
  for (const add of [
    serveCommand,
    loadCommand,
    syncCommand,
    askCommand,
    searchCommand,
    statusCommand,
    documentsCommand,
    collectionsCommand,
    chunksCommand,
    deadLettersCommand,
    recoverCommand,
    configCommand,
    evalCommand,
    doctorCommand,
    workerCommand,
    gatewayCommand,
    topicsCommand,
    quickstartCommand,
  ]) {
    program.addCommand(add(cli));
  }
  throwInstead(program, cli);
  return program;
}

function throwInstead(command: Command, cli: Cli): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => cli.stdout.write(text),
    // Told once, by main, in the form of every other error.
    writeErr: () => undefined,
  });
  for (const under of command.commands) throwInstead(under, cli);
}
