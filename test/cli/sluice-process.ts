import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface ProcessResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  json(): unknown;
}

interface ProcessSetting {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
}

/** Starts the built command as a process of its own. */
export const spawnSluice = (args: readonly string[], setting: ProcessSetting = {}) => spawnProgram(main, args, setting);

function spawnProgram(program: string, args: readonly string[], setting: ProcessSetting) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], SLUICE_LOG_LEVEL: 'warn', ...setting.env },
    ...(setting.cwd === undefined ? {} : { cwd: setting.cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined).end(setting.stdin ?? '');
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
    ([stdout, stderr]): ProcessResult => ({
      ...{ exitCode: child.exitCode, stdout, stderr },
      json: () => JSON.parse(stdout) as unknown,
    }),
  );
  return { child, ended };
}

/** Runs the built command to its end. */
export const sluice = (args: readonly string[], setting: ProcessSetting = {}): Promise<ProcessResult> =>
  spawnSluice(args, setting).ended;

/** The same, of a command that lies elsewhere. */
export const sluiceAt = (program: string, args: readonly string[], setting: ProcessSetting): Promise<ProcessResult> =>
  spawnProgram(program, args, setting).ended;
