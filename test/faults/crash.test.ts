import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { SluiceApi } from '../../gateway/client/client.js';
import { startServer, withFolder, type TestServer } from '../journeys/server.js';
import { endState, type EndState } from './end-state.js';
import { perform, script, type Step } from './script.js';
import { quiet, restingState, sweepingFast } from './settled.js';

async function cleanRun(steps: readonly Step[]): Promise<EndState> {
  return withFolder(async (folder) => {
    const server = await startServer(folder, sweepingFast);
    const operations: string[] = [];
    for (const step of steps) operations.push(await perform(server.client, step));
    await quiet(server.client, operations);
    const state = await restingState(server.client);
    await server.stop();
    return state;
  });
}

/**
 * Performs every step, each until its command is durable, on servers that die; `next` starts the one that follows.
 * In the end all is as in the clean run.
 */
async function interruptedRun(
  steps: readonly Step[],
  clean: EndState,
  first: TestServer,
  next: () => Promise<TestServer>,
): Promise<void> {
  let server = first;
  const operations: string[] = [];
  const again = async <T>(call: (client: SluiceApi) => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        // A death ends the call at once, whatever it was waiting for.
        const { client, ended } = server;
        return await Promise.race([call(client), ended.then(() => Promise.reject(new Error('the server died')))]);
      } catch (error) {
        if (server.process.exitCode === null && server.process.signalCode === null) {
          const died = await Promise.race([server.ended.then(() => true), delay(5_000, false)]);
          if (!died) throw error;
        }
        server = await next();
      }
    }
  };
  for (const step of steps) operations.push(await again((client) => perform(client, step)));
  await again((client) => quiet(client, operations));
  await again((client) =>
    vi.waitFor(async () => expect(await endState(client)).toEqual(clean), { timeout: 120_000, interval: 500 }),
  );
  await server.stop();
}

describe('a server that dies', () => {
  const steps = script(12);
  let clean: EndState;
  beforeAll(async () => {
    clean = await cleanRun(steps);
  }, 120_000);

  it.each([
    'decoder.after-effect:3',
    'decoder.publish:4',
    'chunker.after-effect:4',
    'chunker.publish:5',
    'embedder.after-effect:2',
    'embedder.publish:3',
    'vector-writer.after-effect:1',
    'vector-writer.fence:3',
    'vector-writer.publish:2',
    'vector-writer.before-offset-commit:2',
    'purger.after-effect:1',
    'librarian.catalog-commit:2',
    'librarian.after-commit:3',
    'librarian.publish:4',
    'librarian.before-offset-commit:3',
  ])('at %s, and is started again, ends as one that lived', { timeout: 240_000 }, async (point) => {
    await withFolder(async (folder) => {
      const first = await startServer(folder, { ...sweepingFast, SLUICE_TEST_CRASH_POINT: point });
      let deaths = 0;
      await interruptedRun(steps, clean, first, () => {
        deaths += 1;
        return startServer(folder, sweepingFast);
      });
      expect(deaths).toBe(1);
    });
  });

  it('again and again at random moments ends as one that lived', { timeout: 600_000 }, async () => {
    await withFolder(async (folder) => {
      let kills = 0;
      const start = async (): Promise<TestServer> => {
        const server = await startServer(folder, sweepingFast);
        if (kills < 10) {
          kills += 1;
          const killAt = setTimeout(() => void server.kill(), 50 + Math.random() * 1_200);
          void server.ended.then(() => clearTimeout(killAt));
        }
        return server;
      };
      await interruptedRun(steps, clean, await start(), start);
      expect(kills).toBeGreaterThan(1);
    });
  });
});
