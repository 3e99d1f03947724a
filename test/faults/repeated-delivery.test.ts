import { expect, it, vi } from 'vitest';
import { withFolder } from '../journeys/server.js';
import { startInProcess } from '../journeys/in-process-server.js';
import { endState, type EndState } from './end-state.js';
import { faultyBus, type FaultyBus } from './faulty-bus.js';
import { perform, script } from './script.js';
import { seeded } from './seeded.js';
import { quiet, restingState, sweepingFast } from './settled.js';

const steps = script(12);

const cleanRun = (): Promise<EndState> =>
  withFolder(async (folder) => {
    const { client, stop } = await startInProcess(folder, sweepingFast, (ports) => ports);
    const operations: string[] = [];
    for (const step of steps) operations.push(await perform(client, step));
    await quiet(client, operations);
    const state = await restingState(client);
    await stop();
    return state;
  });

it('delivers records three times, late and out of turn, and ends as the clean run', { timeout: 300_000 }, async () => {
  const clean = await cleanRun();
  await withFolder(async (folder) => {
    let bus: FaultyBus | undefined;
    const { client, stop } = await startInProcess(folder, sweepingFast, (ports) => {
      bus = faultyBus(ports.bus, { random: seeded(20_261_130) });
      return { ...ports, bus };
    });
    const operations: string[] = [];
    for (const step of steps) operations.push(await perform(client, step));
    await quiet(client, operations);
    await bus?.settled();
    await quiet(client, operations);
    await vi.waitFor(async () => expect(await endState(client)).toEqual(clean), {
      timeout: 60_000,
      interval: 500,
    });
    await stop();
  });
});
