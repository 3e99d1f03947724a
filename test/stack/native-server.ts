import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { untilHealthy, type RealServer } from './real-server.js';

export interface NativeServerOptions {
  readonly name: string;
  readonly url: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly options?: SpawnOptions;
  /** Whether it answers; asked again and again until the time-out. */
  healthy(): Promise<boolean>;
  readonly timeoutMs?: number;
  readonly stopSignal?: NodeJS.Signals;
}

/** Where servers are installed once and kept: outside the checkout, shared by its worktrees. */
export const installFolder = (): string =>
  process.env['SLUICE_TEST_STACK'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sluice-test-stack');

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

/** Whether something accepts connections on the port. */
export const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** Runs a program to its end; throws with what it printed when it fails. */
export async function run(command: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${printed.slice(-4_000)}`);
  return printed;
}

/** A process and those that it started, in that order. */
function familyOf(pid: number | undefined): readonly number[] {
  if (pid === undefined) return [];
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    return [pid, ...children.flatMap(familyOf)];
  } catch {
    return [pid];
  }
}

/** Starts a server and waits until it is healthy; it ends with this process. */
export async function startNativeServer(server: NativeServerOptions): Promise<RealServer> {
  let child: ChildProcess | undefined;
  let gone = Promise.resolve();

  async function start(): Promise<void> {
    const started = spawn(server.command, server.args, { ...server.options, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (bytes: Buffer) => (printed = (printed + bytes.toString()).slice(-4_000)));
    }
    const state = { ended: false };
    gone = new Promise((resolve) => {
      started.once('error', (error) => (printed += error.message));
      started.once('close', () => {
        state.ended = true;
        resolve();
      });
    });
    child = started;
    try {
      await untilHealthy(server.healthy, server.timeoutMs ?? 60_000, (timeIsUp) => {
        if (state.ended) return `${server.name} ended while starting:\n${printed}`;
        return timeIsUp ? `${server.name} does not answer:\n${printed}` : undefined;
      });
    } catch (error) {
      // The next one that is started needs its port and its data.
      await stop('SIGKILL');
      throw error;
    }
  }

  const stop = async (signal: NodeJS.Signals = server.stopSignal ?? 'SIGTERM'): Promise<void> => {
    if (child?.exitCode === null && child.signalCode === null) child.kill(signal);
    await gone;
  };
  const signalAll = (signal: NodeJS.Signals): void => {
    for (const pid of familyOf(child?.pid)) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended.
      }
    }
  };
  const killAtExit = (): void => void child?.kill('SIGKILL');
  process.once('exit', killAtExit);
  await start();
  const { url } = server;
  return { url, stop, restart: start, hang: () => signalAll('SIGSTOP'), wake: () => signalAll('SIGCONT') };
}
