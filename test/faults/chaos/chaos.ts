import { expect, vi } from 'vitest';
import { sweepUploads } from '../../../services/librarian/upload-sweep.js';
import type { OpenPorts } from '../../../services/ports/wire.js';
import { startDeployment, type Deployment, type Layout } from '../../journeys/deployment.js';
import type { Servers } from '../../stack/servers.js';
import { between, seeded, shuffled } from '../seeded.js';
import { restingState, sweepingFast } from '../settled.js';
import { giveAll } from './callers.js';
import { commandsOf, type Command } from './commands.js';
import { diagnosis } from './diagnosis.js';
import { expectSame } from './differences.js';
import { disorder, type Counts } from './disorder.js';
import { realDocuments } from './documents.js';
import { holdings, portsOf, type Holdings } from './holdings.js';
import { repeatAll } from './repeats.js';
import { allRead, deadLetters, quiet, restTimeoutMs } from './rest.js';
import { endState, type EndState } from '../end-state.js';

export interface ChaosOptions {
  readonly seed: number;
  /** For how long commands are given and things break. */
  readonly seconds: number;
  readonly documents: number;
  /** How many processes the workers are spread over at most. */
  readonly processes: number;
}

interface End {
  readonly told: EndState;
  readonly held: Holdings;
}

export interface ChaosReport {
  readonly counts: Counts;
  readonly commands: number;
  readonly callsRepeated: number;
  /** From when everything ran again until the end was as that of the clean run. */
  readonly settledMs: number;
  readonly chunks: number;
}

const parts = ['librarian', 'decoder', 'chunker', 'embedder', 'vector-writer', 'query', 'document-rag'] as const;

/** Nothing that is on its way counts as silent, however short this is: the drain pass sees to it. */
const settings = {
  ...sweepingFast,
  SLUICE_SWEEPER_STALLED_AFTER_MS: '1000',
  SLUICE_KAFKA_SESSION_TIMEOUT_MS: '6000',
  SLUICE_BUS_PARTITIONS: '4',
};

/** Each worker in one process or in two, by chance, beside others; and a gateway. */
function layoutOf(random: () => number, processes: number): Layout {
  const layout = new Map<string, string[]>();
  for (const part of parts) {
    for (const number of shuffled(random, [...Array(processes).keys()]).slice(0, between(random, 1, 3))) {
      const name = `worker-${number + 1}`;
      layout.set(name, [...(layout.get(name) ?? []), part]);
    }
  }
  return { ...Object.fromEntries(layout), gateway: ['gateway'] };
}

async function withDeployment<T>(
  servers: Servers,
  { layout, tell }: { layout: Layout; tell(what: string): void },
  use: (deployment: Deployment, ports: OpenPorts) => Promise<T>,
): Promise<T> {
  const deployment = await startDeployment(servers, layout, settings);
  try {
    const ports = await portsOf(deployment.environment);
    try {
      return await use(deployment, ports);
    } catch (error) {
      tell(await diagnosis(deployment, ports.bus).catch(String));
      throw error;
    } finally {
      await ports.close();
    }
  } finally {
    await deployment.stop();
  }
}

const cleanRun = (
  servers: Servers,
  documents: readonly (readonly Command[])[],
  tell: (what: string) => void,
): Promise<End> =>
  withDeployment(
    servers,
    { layout: { worker: ['all'], gateway: ['gateway'] }, tell },
    async ({ client, environment }, ports) => {
      const { operations } = await giveAll(client, documents, () => 0, 0);
      await quiet(client, operations);
      let held = await holdings(environment, ports);
      await vi.waitFor(
        async () => {
          const before = held;
          held = await holdings(environment, ports);
          expectSame(held, before);
        },
        { timeout: restTimeoutMs, interval: 2_000 },
      );
      return { told: await restingState(client), held };
    },
  );

/**
 * Gives the same commands to a deployment that nothing happens to and to one in which everything does that may happen to
 * processes, servers and messages, and expects the same end of both.
 */
export async function chaos(
  servers: Servers,
  { seed, seconds, documents: count, processes }: ChaosOptions,
  tell: (what: string) => void,
): Promise<ChaosReport> {
  const random = seeded(seed);
  const commands = commandsOf(realDocuments(count, random), Math.ceil(seconds / 300));
  const clean = await cleanRun(servers, commands, tell);
  tell('the clean run has ended');
  return withDeployment(servers, { layout: layoutOf(random, processes), tell }, async ({ ...deployment }, ports) => {
    const { client, environment } = deployment;
    const { bus } = ports;
    const breaking = disorder({ servers, deployment, bus, tell }, seed);
    const giving = giveAll(client, commands, random, seconds * 1000);
    const given = await breaking.during(giving).finally(() => breaking.stop());
    tell('everything runs again');
    const began = performance.now();
    await quiet(client, given.operations);
    const repeatedAtEnd = await repeatAll(bus);
    await allRead(bus);
    await quiet(client, given.operations);
    expect(await deadLetters(bus)).toEqual([]);

    await sweepUploads(ports, new Date(Date.now() + 60_000));
    await vi.waitFor(async () => expectSame(await holdings(environment, ports), clean.held), {
      timeout: restTimeoutMs,
      interval: 2_000,
    });
    await vi.waitFor(async () => expectSame(await endState(client), clean.told), {
      timeout: restTimeoutMs,
      interval: 2_000,
    });
    const settledMs = performance.now() - began;
    return {
      counts: { ...breaking.counts, 'record repeated at the end': repeatedAtEnd },
      commands: commands.flat().length,
      callsRepeated: given.repeated,
      settledMs,
      chunks: clean.told.chunks,
    };
  });
}
