import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServer, withFolder } from '../journeys/server.js';
import { perform, script } from './script.js';
import { quiet } from './settled.js';

it('a queue that was deleted while documents were under way is made up for from the catalog', async () => {
  await withFolder(async (folder) => {
    const steps = script(4).slice(0, 4);
    const first = await startServer(folder, { SLUICE_TEST_CRASH_POINT: 'chunker.publish:2' });
    const operations: string[] = [];
    for (const step of steps) operations.push(await perform(first.client, step).catch(() => 'the server died'));
    await first.ended;
    await rm(join(folder, 'bus'), { recursive: true });

    const second = await startServer(folder, {
      SLUICE_SWEEPER_STALLED_AFTER_MS: '0',
      SLUICE_SWEEPER_INTERVAL_MS: '200',
    });
    // What was only in the queue is gone with it: its caller sends it again.
    operations.length = 0;
    for (const step of steps) operations.push(await perform(second.client, step));
    await quiet(second.client, operations);
    const { documents, dead_letters: deadLetters } = await second.client.status();
    expect(documents).toMatchObject({ ready: steps.length, failed: 0 });
    expect(deadLetters).toBe(0);
    await second.stop();
  });
}, 120_000);
