import { expect, vi } from 'vitest';
import type { Operation, SearchHit, SluiceApi, Submitted } from '../../gateway/client/client.js';

/** A document of a few chunks about a thing of its own. */
const thing = (index: number, about = 'lamps'): string =>
  `# Thing ${index}\n\n` +
  ['origin', 'upkeep', 'storage']
    .map((part) => {
      const rest = `It speaks of ${about}, of number${index} and of ${part}${index}.`;
      return `## The ${part} of thing${index}\n\n${rest} ${'Sentence after sentence follows. '.repeat(30)}\n`;
    })
    .join('\n');

export const put = (client: SluiceApi, collection: string, index: number, about?: string): Promise<Operation> =>
  client.ingestDocument({
    ...{ collection, document_id: `thing-${index}`, body: thing(index, about), content_type: 'text/markdown' },
  });

export const ended = async (client: SluiceApi, submitted: Promise<Submitted>): Promise<Operation> =>
  client.waitForOperation((await submitted).operation_id, { timeoutMs: 120_000 });

const queries = ['thing3', 'the upkeep of thing1', 'lamps and storage', 'lanterns'];

/** What a collection answers, without what tells one history from another. */
export async function answers(client: SluiceApi, collection: string): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const query of queries) {
    const { hits } = await client.search({ query, mode: 'semantic', collections: [collection], limit: 1_000 });
    found[query] = hits.map((hit) => `${hit.score.toFixed(3)} ${hit.document_id} ${hit.start}-${hit.end}`).sort();
  }
  return found;
}

/** Resolves when the old space of a collection is gone. */
export const emptied = (client: SluiceApi, collection: string, model: string): Promise<void> =>
  vi.waitFor(
    async () => {
      const operation = await ended(client, client.reindexCollection(collection, model));
      expect(operation).toMatchObject({ state: 'ready' });
    },
    { timeout: 90_000, interval: 1_000 },
  );

/**
 * Searches in a loop for documents that are never touched, until stopped: each answer holds them whole, of one version,
 * with their texts. Resolves with the number of answers.
 */
export function readInLoop(client: SluiceApi, collection: string, untouched: readonly number[]) {
  let reading = true;
  let count = 0;
  const read = async (): Promise<number> => {
    while (reading) {
      for (const mode of ['semantic', 'lexical', 'hybrid'] as const) {
        const index = untouched[count % untouched.length] ?? 0;
        const query = `origin${index} upkeep${index} storage${index} thing${index}`;
        const { hits } = await client.search({ query, mode, collections: [collection], limit: 100 });
        check(hits, index, mode);
        count++;
      }
    }
    return count;
  };
  const running = read();
  running.catch(() => undefined);
  return {
    stop: (): Promise<number> => {
      reading = false;
      return running;
    },
  };
}

function check(hits: readonly SearchHit[], index: number, mode: string): void {
  expect(hits.filter((hit) => hit.text === '')).toEqual([]);
  const versions = new Map<string, Set<string>>();
  for (const hit of hits) {
    const version = hit.chunk_id.split(':')[0] ?? '';
    versions.set(hit.document_id, (versions.get(hit.document_id) ?? new Set()).add(version));
  }
  expect([...versions].filter(([, each]) => each.size > 1)).toEqual([]);
  expect(
    hits.map((hit) => hit.document_id),
    `${mode} of thing-${index}`,
  ).toContain(`thing-${index}`);
}
