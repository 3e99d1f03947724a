import { expect, vi } from 'vitest';
import type { SluiceApi } from '../../gateway/client/client.js';
import { endState, type EndState } from './end-state.js';

/** Settings under which purges follow at once, so that ends can be compared. */
export const sweepingFast = { SLUICE_SWEEPER_PURGE_AFTER_MS: '0', SLUICE_SWEEPER_INTERVAL_MS: '500' };

const settled = ['ready', 'unchanged', 'failed', 'refused', 'deleted', 'stale'];

/** Resolves when every operation has ended and nothing of a dead version is left in the vector store. */
export async function quiet(client: SluiceApi, operations: readonly string[]): Promise<void> {
  for (const id of operations) {
    expect(settled).toContain((await client.waitForOperation(id, { timeoutMs: 60_000 })).state);
  }
  await vi.waitFor(
    async () => {
      const { vectors, chunks, documents } = await client.status();
      expect(documents.pending + documents.processing).toBe(0);
      expect(vectors).toBe(chunks);
    },
    { timeout: 60_000, interval: 100 },
  );
}

/** The end state once it stands still: the full-text index takes in what was written last after a while. */
export async function restingState(client: SluiceApi): Promise<EndState> {
  let state = await endState(client);
  await vi.waitFor(
    async () => {
      const before = state;
      state = await endState(client);
      expect(state).toEqual(before);
    },
    { timeout: 60_000, interval: 2_000 },
  );
  return state;
}
