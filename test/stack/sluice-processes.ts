import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** Of the project that is the working directory. */
const cli = resolve('dist/cli/main.js');

type Environment = Readonly<Record<string, string>>;

export interface SluiceProcess {
  readonly url: string;
  /** SIGTERM; resolves when the process is gone. */
  stop(): Promise<void>;
}

const environmentOf = (environment: Environment): NodeJS.ProcessEnv => ({
  ...process.env,
  SLUICE_LOG_LEVEL: 'error',
  ...environment,
});

/** Starts a `sluice` that listens (a worker, the gateway) and waits until it is ready. It ends with this process. */
export async function startSluice(args: readonly string[], environment: Environment): Promise<SluiceProcess> {
  const child = spawn(process.execPath, [cli, ...args, '--json'], {
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'], // the channel tells it that this process is gone
  });
  const gone = once(child, 'exit');
  const url = await Promise.race([
    listening(child).then(ready),
    gone.then(() => Promise.reject(new Error(`sluice ${args.join(' ')} ended while starting`))),
  ]);
  return {
    url,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await gone;
    },
  };
}

/** Runs a `sluice` to its end before everybody's eyes. Throws if it fails. */
export async function runSluice(args: readonly string[], environment: Environment): Promise<void> {
  const child = spawn(process.execPath, [cli, ...args], { env: environmentOf(environment), stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`sluice ${args.join(' ')} ended with ${String(code)}`);
}

async function ready(url: string): Promise<string> {
  while (!(await fetch(`${url}/healthz/ready`)).ok) await delay(100);
  return url;
}

async function listening(child: ChildProcess): Promise<string> {
  if (child.stdout !== null) {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('{"listening"')) continue; // an error, which it tells on stderr as well
      const { listening: url } = JSON.parse(line) as { listening: string };
      return url;
    }
  }
  return new Promise(() => undefined); // it ended: its exit tells
}
