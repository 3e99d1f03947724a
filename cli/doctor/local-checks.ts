import { statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { bytes } from '../output/numbers.js';
import type { Check } from '../server-module.js';

const oldestNode = [20, 11] as const;
const littleSpaceBytes = 1_000_000_000;

/** What can be told from this machine alone, apart from the server's own checks. */
export const localChecks = async (data: string): Promise<Check[]> => [
  nodeCheck(process.versions.node),
  await spaceCheck(data),
  packageCheck(),
];

function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  return {
    name: 'Node.js',
    state: enough ? 'ok' : 'failed',
    detail: version,
    ...(enough ? {} : { advice: `install Node.js ${oldestNode.join('.')} or newer` }),
  };
}

async function spaceCheck(data: string): Promise<Check> {
  const name = 'disk space';
  for (let path = resolve(data); ; path = dirname(path)) {
    try {
      const { bavail, bsize } = await statfs(path);
      const free = bavail * bsize;
      return free >= littleSpaceBytes
        ? { name, state: 'ok', detail: `${bytes(free)} free` }
        : { name, state: 'warning', detail: `${bytes(free)} free`, advice: 'make room, or move the data folder' };
    } catch (error) {
      if (path === dirname(path)) {
        return { name, state: 'warning', detail: error instanceof Error ? error.message : String(error) };
      }
    }
  }
}

function packageCheck(): Check {
  const name = '@huggingface/transformers';
  try {
    createRequire(import.meta.url).resolve(name);
    return { name, state: 'ok', detail: 'installed: local embedding models can be used' };
  } catch {
    return {
      name,
      state: 'ok',
      detail: `not installed: needed only for local embedding models (npm install ${name})`,
    };
  }
}
