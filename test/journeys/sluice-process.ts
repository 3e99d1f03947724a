import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** Of the project that is the working directory: this file may run compiled too, from another folder. */
const cli = resolve('dist/cli/main.js');

/** Far more than a process takes that gives its work up after the default grace. */
const stopWithinMs = 30_000;

/** A part of a deployment: one process with an address for health and figures. */
export interface SluiceProcess {
  readonly url: string;
  readonly process: ChildProcess;
  /** Resolves with the exit code when the process has ended, for whatever reason; null after a signal. */
  readonly ended: Promise<number | null>;
  /** The end of what it logged. */
  log(): string;
  /** SIGTERM; resolves with the exit code. One that goes on is killed, and rejects with what it logged. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Whether `/healthz/<kind>` says yes; false when nothing answers. */
  healthy(kind: 'live' | 'ready'): Promise<boolean>;
  /** Messages that a processor here has finished, by outcome. */
  handled(processor: string, outcome?: string): Promise<number>;
  /** Attempts that a processor here made in vain and makes again. */
  retried(processor: string): Promise<number>;
  /** What of it is in memory now, in bytes. */
  residentBytes(): Promise<number>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The sum of the figures whose lines on the process's page of metrics begin so. */
async function figures(url: string, beginning: string): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  return lines
    .filter((line) => line.startsWith(beginning))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Starts a command that listens and waits until it does; `program` is the file of another build's command line. */
export async function startSluice(
  name: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  program: string = cli,
): Promise<SluiceProcess> {
  const child = spawn(process.execPath, [program, ...command, '--json'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], SLUICE_LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => (errors = (errors + bytes.toString()).slice(-32_000)));
  const ended = new Promise<number | null>((resolveWith) => child.once('exit', resolveWith));
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  };
  const stop = async (): Promise<number | null> => {
    const overdue = new AbortController();
    const patience = setTimeout(() => {
      overdue.abort();
      child.kill('SIGKILL');
    }, stopWithinMs);
    const exitCode = await end('SIGTERM');
    clearTimeout(patience);
    if (overdue.signal.aborted) throw new Error(`${name} did not end within ${stopWithinMs} ms of SIGTERM:\n${errors}`);
    return exitCode;
  };
  running.add(child);
  void ended.then(() => running.delete(child));
  const url = await new Promise<string>((resolveWith, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{"listening"')) resolveWith((JSON.parse(line) as { listening: string }).listening);
    });
    void ended.then((code) => reject(new Error(`${name} ended with ${code} while starting:\n${errors}`)));
  });
  return {
    ...{ url, process: child, ended },
    log: () => errors,
    stop,
    kill: async () => {
      await end('SIGKILL');
    },
    healthy: (kind) =>
      fetch(`${url}/healthz/${kind}`).then(
        ({ ok }) => ok,
        () => false,
      ),
    handled: (processor, outcome = 'done') =>
      figures(url, `sluice_messages_handled_total{processor="${processor}",outcome="${outcome}"}`),
    retried: (processor) => figures(url, `sluice_message_retries_total{processor="${processor}",`),
    async residentBytes() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? NaN);
    },
  };
}
