import { access, constants, stat, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { bytes } from '../output/numbers.js';
import type { Check } from '../server-module.js';

const oldestNode = [20, 11] as const;
const littleSpaceBytes = 1_000_000_000;

/** What can be told from this machine alone. */
export const localChecks = async (data: string): Promise<Check[]> => [
  nodeCheck(process.versions.node),
  await folderCheck(data),
  await spaceCheck(data),
  packageCheck(),
];

export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  return {
    name: 'Node.js',
    state: enough ? 'ok' : 'failed',
    detail: version,
    ...(enough ? {} : { advice: `install Node.js ${oldestNode.join('.')} or newer` }),
  };
}

async function folderCheck(data: string): Promise<Check> {
  const name = 'data folder';
  const path = resolve(data);
  try {
    if (!(await stat(path)).isDirectory()) {
      return { name, state: 'failed', detail: `${path} is not a folder`, advice: 'give another one with --data' };
    }
    await access(path, constants.R_OK | constants.W_OK);
    return { name, state: 'ok', detail: path };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { name, state: 'ok', detail: `${path} does not exist yet; sluice serve makes it` };
    }
    return {
      name,
      state: 'failed',
      detail: `${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      advice: 'give its rights to the user that runs the server, or another folder with --data',
    };
  }
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
