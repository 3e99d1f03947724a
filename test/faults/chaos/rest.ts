import { expect, vi } from 'vitest';
import { topics } from '../../../schema/topics.js';
import type { SluiceApi } from '../../../gateway/client/client.js';
import type { Bus } from '../../../services/ports/bus/port.js';

/** When nothing is broken any more, everything is to be done within this time. */
export const restTimeoutMs = 90_000;

/** Resolves when every operation has ended, none in failure, and nothing is under way. */
export async function quiet(client: SluiceApi, operations: readonly string[]): Promise<void> {
  for (const id of new Set(operations)) {
    const { state, code, reason } = await client.waitForOperation(id, { timeoutMs: restTimeoutMs });
    expect(['ready', 'unchanged', 'deleted', 'stale'], `operation ${id}: ${code} ${reason}`).toContain(state);
  }
  await vi.waitFor(
    async () => {
      const { documents, vectors, chunks } = await client.status();
      expect(documents).toMatchObject({ pending: 0, processing: 0, failed: 0 });
      expect(vectors).toBe(chunks);
    },
    { timeout: restTimeoutMs, interval: 250 },
  );
}

/** Waits until all that was published has been handled. */
export const allRead = (bus: Bus): Promise<void> =>
  vi.waitFor(
    async () => {
      for (const [{ name }, group] of [
        [topics.documentCommands, 'librarian'],
        [topics.documentsAccepted, 'decoder'],
        [topics.documentsDecoded, 'chunker'],
        [topics.chunksCreated, 'embedder'],
        [topics.chunksEmbedded, 'vector-writer'],
        [topics.payloadUpdates, 'payload-writer'],
        [topics.purges, 'purger'],
        [topics.documentCommands, 'librarian'],
      ] as const) {
        expect({ name, offsets: await bus.committed(group, name) }).toEqual({
          name,
          offsets: await bus.endOffsets(name),
        });
      }
    },
    { timeout: restTimeoutMs, interval: 500 },
  );

/** Why letters are dead, for the message of a failure. */
export async function deadLetters(bus: Bus): Promise<readonly unknown[]> {
  const letters: unknown[] = [];
  for (const { name } of await bus.topics()) {
    if (!name.endsWith('.dead-letter')) continue;
    for await (const { headers, key } of bus.read(name)) letters.push({ name, key, headers });
  }
  return letters;
}
