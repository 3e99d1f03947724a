import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { SluiceClient } from '../../gateway/client/client.js';

/** Of the project that is the working directory: this file may run compiled too, from another folder. */
const cli = resolve('dist/cli/main.js');

/** A server of its own process on a data folder, with a client for it. */
export interface TestServer {
  readonly url: string;
  readonly client: SluiceClient;
  readonly process: ChildProcess;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Resolves when the process has ended by itself: a crash point was reached. */
  readonly ended: Promise<void>;
}

/** What a process that was given up on had to say. */
class ServerDidNotStart extends Error {
  override readonly name = 'ServerDidNotStart';
}

/** Starts `sluice serve` on a free port and waits until it listens. */
export async function startServer(dataFolder: string, environment: Record<string, string> = {}): Promise<TestServer> {
  const child = spawn(
    process.execPath,
    [cli, 'serve', '--json', '--port', environment['SLUICE_GATEWAY_PORT'] ?? '0', '--data', dataFolder],
    {
      env: { ...process.env, SLUICE_LOG_LEVEL: 'warn', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => (errors = (errors + bytes.toString()).slice(-8_000)));
  const ended = once(child, 'exit').then(() => undefined);
  const url = await Promise.race([
    listening(child),
    ended.then(() => {
      throw new ServerDidNotStart(errors);
    }),
  ]);
  const client = new SluiceClient({ url, maxRetries: 0 });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
    await client.close();
  };
  return {
    url,
    client,
    process: child,
    ended,
    stop: async () => {
      await end('SIGTERM');
      return child.exitCode;
    },
    kill: () => end('SIGKILL'),
  };
}

async function listening(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output to read');
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue;
    const message = JSON.parse(line) as { listening?: string };
    if (message.listening !== undefined) return message.listening;
  }
  return new Promise(() => undefined);
}

/** An empty folder that is removed after `use`. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
