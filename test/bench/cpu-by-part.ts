import { Session, type Profiler } from 'node:inspector/promises';

/** Milliseconds of the main thread by part of the program. */
export type CpuByPart = ReadonlyMap<string, number>;

const idle = new Set(['(idle)']);
const own =
  /\/dist\/((?:services\/(?:ports|runtime|domain)\/[^/]+)|services\/[^/]+|gateway\/client|gateway|schema|test)\b/;

/**
 * Runs `work` under the sampling profiler. Each sample counts for the program's own code nearest to the top of its
 * stack, libraries for the code that called them; what nobody of ours called counts for the library, or for Node.
 */
export async function cpuByPart(work: () => Promise<unknown>): Promise<CpuByPart> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 1000 });
  await session.post('Profiler.start');
  await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return sumByPart(profile);
}

const node = 'Node';
const isOwn = (part: string): boolean => /^(?:services|gateway|schema|test)\b/.test(part);

function libraryOf(url: string, functionName: string, inherited: string): string {
  if (functionName === '(garbage collector)') return 'garbage collection';
  const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  return name ?? (url.startsWith('wasm:') && inherited === node ? 'WebAssembly' : inherited);
}

function sumByPart({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): CpuByPart {
  const partOf = new Map<number, string>();
  const byId = new Map(nodes.map((each) => [each.id, each]));
  const name = (frame: Profiler.ProfileNode, inherited: string): void => {
    const { url, functionName } = frame.callFrame;
    const part = own.exec(url)?.[1] ?? (isOwn(inherited) ? inherited : libraryOf(url, functionName, inherited));
    partOf.set(frame.id, idle.has(functionName) ? 'idle' : part);
    for (const id of frame.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) name(child, part);
    }
  };
  const [root] = nodes;
  if (root !== undefined) name(root, node);
  const sums = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const part = partOf.get(id) ?? node;
    if (part !== 'idle') sums.set(part, (sums.get(part) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  }
  return new Map([...sums].sort(([, a], [, b]) => b - a));
}
