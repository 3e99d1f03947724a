import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { SluiceApiError } from '../../gateway/client/client.js';
import { startDeployment, type Deployment, type Layout } from '../journeys/deployment.js';
import type { Servers } from '../stack/servers.js';
import { perform, script, type Step } from './script.js';
import { quiet, restingState, sweepingFast } from './settled.js';
import { endState, type EndState } from './end-state.js';

export type ServerName = 'postgres' | 'qdrant' | 's3' | 'kafka' | 'registry';

export const serverNames: readonly ServerName[] = ['postgres', 'qdrant', 's3', 'kafka', 'registry'];

/** All processors in one process, which costs the least to start, beside a gateway. */
const layout: Layout = { worker: ['all'], gateway: ['gateway'] };
const steps = script(12);
/** The outage begins with this step, when most of those before are still under way. */
const outageAt = 9;
const recoveredWithinMs = 30_000;

/** How the script ends when nothing happens. */
export async function cleanRun(servers: Servers): Promise<EndState> {
  const { client, stop } = await startDeployment(servers, layout, sweepingFast);
  const operations: string[] = [];
  for (const step of steps) operations.push(await perform(client, step));
  await quiet(client, operations);
  const state = await restingState(client);
  await stop();
  return state;
}

/** Does a step until it is durable; on the way only errors that tell of an outage are allowed. */
async function insist({ client }: Deployment, step: Step): Promise<string> {
  for (;;) {
    try {
      return await perform(client, step);
    } catch (error) {
      expect(error).toBeInstanceOf(SluiceApiError);
      if (error instanceof SluiceApiError) expect([503, 504]).toContain(error.status);
      await delay(250);
    }
  }
}

/** Asks every process whether it lives, again and again; `stop` gives the names of those that ever said no. */
function watchLiveness({ processes }: Deployment) {
  const dead = new Set<string>();
  const watching = new AbortController();
  const watched = (async () => {
    while (!watching.signal.aborted) {
      for (const [name, process] of processes) if (!(await process.healthy('live'))) dead.add(name);
      await delay(250);
    }
  })();
  return {
    async stop(): Promise<readonly string[]> {
      watching.abort();
      await watched;
      return [...dead];
    },
  };
}

export interface Outage {
  /** From when the server answered again until every operation had ended and nothing was left to purge. */
  readonly recoveryMs: number;
}

/** Kills a server in the middle of the script and brings it back; everything that has to hold is expected here. */
export async function outage(servers: Servers, name: ServerName, forMs: number, clean: EndState): Promise<Outage> {
  const deployment = await startDeployment(servers, layout, sweepingFast);
  try {
    const liveness = watchLiveness(deployment);
    const operations: string[] = [];
    const perform = async (part: readonly Step[]): Promise<void> => {
      for (const step of part) operations.push(await insist(deployment, step));
    };
    await perform(steps.slice(0, outageAt));
    await servers[name].stop('SIGKILL');
    const rest = perform(steps.slice(outageAt));
    rest.catch(() => undefined); // it is heard below
    await delay(forMs); // time itself is what is tried here
    await servers[name].restart();
    const returned = performance.now();
    await rest;
    await quiet(deployment.client, operations);
    const recoveryMs = performance.now() - returned;
    expect(recoveryMs).toBeLessThan(recoveredWithinMs);
    await vi.waitFor(async () => expect(await endState(deployment.client)).toEqual(clean), {
      timeout: 30_000,
      interval: 500,
    });
    expect(await liveness.stop()).toEqual([]);
    expect((await deployment.client.status()).dead_letters).toBe(0);
    for (const [who, { process }] of deployment.processes) {
      expect([who, process.exitCode, process.signalCode]).toEqual([who, null, null]);
    }
    return { recoveryMs };
  } finally {
    await deployment.stop();
  }
}
