import { afterAll, expect, it } from 'vitest';
import { startDeployment, type Deployment } from '../journeys/deployment.js';
import { startSluice } from '../journeys/sluice-process.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { startServers } from '../stack/servers.js';
import { holdings, portsOf, type Holdings } from './chaos/holdings.js';
import { perform, script } from './script.js';
import { quiet, sweepingFast } from './settled.js';

const servers = await startOrSkip('the servers', startServers);
afterAll(() => servers?.stop());

const commands = [['worker', 'all'], ['worker', 'vector-writer'], ['worker', 'librarian'], ['gateway']] as const;

/** What stands in the stores of a deployment that does not run any more. */
async function left(environment: Deployment['environment']): Promise<Holdings> {
  const ports = await portsOf(environment);
  try {
    return await holdings(environment, ports);
  } finally {
    await ports.close();
  }
}

if (servers !== undefined) {
  it('starts nothing on the stores of two installations, and touches neither', { timeout: 300_000 }, async () => {
    const loaded = async (documents: number): Promise<Deployment['environment']> => {
      const deployment = await startDeployment(servers, { worker: ['all'], gateway: ['gateway'] }, sweepingFast);
      try {
        const operations: string[] = [];
        for (const step of script(documents)) operations.push(await perform(deployment.client, step));
        await quiet(deployment.client, operations);
      } finally {
        await deployment.stop();
      }
      return deployment.environment;
    };
    const [one, other] = [await loaded(6), await loaded(4)];
    const before = [await left(one), await left(other)];
    expect(before.map(({ points }) => Object.keys(points).length)).not.toContain(0);

    for (const store of ['SLUICE_QDRANT_PREFIX', 'SLUICE_S3_PREFIX', 'SLUICE_POSTGRES_URL'] as const) {
      const ports = { SLUICE_WORKER_PORT: '0', SLUICE_GATEWAY_PORT: '0' };
      const mixed = { ...one, ...ports, [store]: other[store] ?? '' };
      const starts = commands.map((command) => startSluice(command.join(' '), command, mixed));
      for (const start of await Promise.allSettled(starts)) {
        expect(start.status, store).toBe('rejected');
        if (start.status === 'rejected') expect(String(start.reason)).toContain('belongs to installation');
      }
    }
    expect([await left(one), await left(other)]).toEqual(before);
  });
}
