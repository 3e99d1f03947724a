import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly url: string;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

const lastWords = 4_000;
const stopMs = 15_000;

/**
 * Starts `sluice serve` as a process of its own, on a free port and a temporary data folder. It ends with this
 * process, however this one ends. Throws what the server said if it does not come up.
 */
export async function startTemporaryServer(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<ServerProcess> {
  const data = await mkdtemp(join(tmpdir(), 'sluice-'));
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const child = spawn(
    process.execPath,
    [main, 'serve', '--json', '--port', '0', '--host', '127.0.0.1', '--data', data],
    {
      // Only this process knows its port, and it has no keys to show.
      env: { SLUICE_LOG_LEVEL: 'warn', ...env, SLUICE_GATEWAY_API_KEYS: '[]' },
      // The channel is what tells the server that this process is gone.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C at the terminal is ours alone to pass on.
      detached: true,
    },
  );
  const exited = once(child, 'exit');
  let stderr = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr = (stderr + bytes.toString()).slice(-lastWords);
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
      await exited;
      clearTimeout(timer);
    }
    await rm(data, { recursive: true, force: true });
  };
  try {
    const url = await Promise.race([
      listening(child),
      exited.then(() => {
        throw new Error(`the temporary server did not start: ${stderr.trim() || 'it said nothing'}`);
      }),
      aborted(signal),
    ]);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listening(child: ChildProcess): Promise<string> {
  if (child.stdout !== null) {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('{')) continue;
      const message: unknown = JSON.parse(line);
      if (typeof message === 'object' && message !== null && 'listening' in message) return String(message.listening);
    }
  }
  // It ended before: its exit tells why.
  return new Promise(() => undefined);
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const leave = (): void => reject(new Error('interrupted'));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
