import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '../../../services/ports/bus/port.js';
import type { Deployment } from '../../journeys/deployment.js';
import { startSluice, type SluiceProcess } from '../../journeys/sluice-process.js';
import { serverNames, type ServerName } from '../outage.js';
import type { Servers } from '../../stack/servers.js';
import { between, oneOf, seeded, shuffled } from '../seeded.js';
import { repeatSome } from './repeats.js';

export type Counts = Record<string, number>;

export interface Disorder {
  readonly counts: Counts;
  /** What is done meanwhile; rejects as soon as a process has ended that was not killed, for nobody starts it again. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Begins nothing more; resolves when everything runs again. Rejects if a process has ended that was not killed. */
  stop(): Promise<void>;
}

/** The process of this name. Throws if it has ended by itself: none may, whatever happens to it. */
function running({ processes }: Deployment, name: string): SluiceProcess {
  const found = processes.get(name);
  if (found === undefined || found.process.exitCode !== null) throw new Error(`${name} has ended:\n${found?.log()}`);
  return found;
}

const workers = ['librarian', 'decoder', 'chunker', 'embedder', 'vector-writer', 'query', 'document-rag'] as const;

/**
 * Kills processes and servers, lets them hang, adds workers and takes them away, and delivers old records again, until it
 * is stopped. What happens in which order follows from the seed; how it meets the work does not.
 */
export function disorder(
  { servers, deployment, bus, tell }: { servers: Servers; deployment: Deployment; bus: Bus; tell(what: string): void },
  seed: number,
): Disorder {
  const counts: Counts = {};
  const stopping = new AbortController();
  const going = (): boolean => !stopping.signal.aborted;
  const noted = (what: string, on: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
    tell(`${what}: ${on}`);
  };
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  /** A server that is needed to start may be away: a supervisor starts again and again, and waits longer each time. */
  const insist = async (start: () => Promise<unknown>): Promise<void> => {
    for (let waitMs = 500; ; waitMs = Math.min(2 * waitMs, 4_000)) {
      try {
        await start();
        return;
      } catch (error) {
        noted('start that failed', String(error).split('\n').slice(0, 4).join(' '));
        await delay(waitMs);
      }
    }
  };

  const busy = new Set<string>();
  async function processes(random: () => number): Promise<void> {
    for (let round = 0; going(); round++) {
      const name = oneOf(
        random,
        [...deployment.processes.keys()].filter((each) => !busy.has(each)),
      );
      busy.add(name);
      const choice = round === 0 ? 0 : random();
      const [downMs, frozenMs, untilNextMs] = [random() * 1500, 1000 + random() * 9000, random() * 2500];
      const process = running(deployment, name);
      if (choice < 0.7) {
        noted('process killed', name);
        await process.kill();
        await pause(downMs);
        await insist(() => deployment.restart(name));
      } else if (choice < 0.85) {
        noted('process restarted', name);
        await process.stop();
        await insist(() => deployment.restart(name));
      } else {
        // Longer than a session at times: what it holds is given to others, and it does not know.
        noted('process held still', `${name} ${frozenMs.toFixed(0)} ms`);
        process.process.kill('SIGSTOP');
        await pause(frozenMs);
        process.process.kill('SIGCONT');
      }
      busy.delete(name);
      await pause(untilNextMs);
    }
  }

  async function guests(random: () => number): Promise<void> {
    for (let number = 1; going(); number++) {
      const name = oneOf(random, workers);
      const [stayMs, kill, untilNextMs] = [2000 + random() * 6000, random() < 0.5, 1000 + random() * 5000];
      noted('worker joined', name);
      const environment = { ...deployment.environment, SLUICE_WORKER_PORT: '0' };
      const guest = await startSluice(`guest-${number}`, ['worker', name], environment).catch(() => undefined);
      await pause(stayMs);
      await (kill ? guest?.kill() : guest?.stop());
      await pause(untilNextMs);
    }
  }

  async function outages(random: () => number): Promise<void> {
    for (let round: ServerName[] = []; going();) {
      await pause(1500 + random() * 4000);
      if (!going()) return;
      if (round.length === 0) round = [...shuffled(random, serverNames)];
      const name = round.pop() ?? 'kafka';
      const server = servers[name];
      const [choice, ms] = [random(), 500 + random() * 4500];
      if (name === 'qdrant' && choice < 0.4) {
        const fault = oneOf(random, [
          { status: 503, retryAfter: '1' },
          { status: 500 },
          { reset: true },
          { reset: true, apply: true },
          { delayMs: 300 },
        ]);
        const count = between(random, 3, 30);
        noted('vector store at fault', JSON.stringify({ ...fault, count }));
        const body = JSON.stringify({ path: 'points', ...fault, count });
        await fetch(`${server.url}/__fault`, { method: 'POST', body });
      } else if (choice < 0.7) {
        noted(`${name} killed`, `${ms.toFixed(0)} ms`);
        await server.stop('SIGKILL');
        await pause(ms);
        await insist(() => server.restart());
      } else {
        noted(`${name} held still`, `${ms.toFixed(0)} ms`);
        server.hang();
        await pause(ms);
        server.wake();
      }
    }
  }

  async function repeats(random: () => number): Promise<void> {
    while (going()) {
      await pause(500 + random() * 1500);
      const share = random() * 0.4;
      const repeated = await repeatSome(bus, random, share, 200).catch(() => 0);
      counts['record repeated'] = (counts['record repeated'] ?? 0) + repeated;
    }
  }

  const loops = [processes, processes, guests, outages, repeats].map((loop, index) => loop(seeded(seed * 31 + index)));
  const ended = Promise.all(loops);
  ended.catch(() => stopping.abort()); // it is heard by whoever works meanwhile, and when it is stopped
  return {
    counts,
    during: (work) => Promise.race([work, ended.then(() => work)]),
    async stop() {
      stopping.abort();
      await Promise.allSettled(loops);
      await ended;
      for (const name of deployment.processes.keys()) running(deployment, name);
      await fetch(`${servers.qdrant.url}/__fault`, { method: 'POST', body: '{}' });
    },
  };
}
