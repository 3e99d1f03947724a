import type { SluiceApi } from '../../gateway/client/client.js';
import { endState, type EndState } from './end-state.js';

/** What a caller can learn of a deployment. */
export interface Told extends Omit<EndState, 'results'> {
  /** By query: every chunk of the collection, nearest first, with its score. */
  readonly nearest: Readonly<Record<string, readonly string[]>>;
  /** By mode and query: the chunks that match, if the API shows all of them at once. */
  readonly matching: Readonly<Record<string, readonly string[]>>;
}

const queries = ['How do I register a plugin?', 'content type parser', 'redistribution and warranty'];
const limit = 1000;

/**
 * Everything, with the order that vectors give. BM25 weighs words by how many points have them, and the store counts
 * those that it has taken away, or written over, until it tidies up: after the same commands in another history the same
 * points match a word, with other scores.
 */
export async function toldBy(client: SluiceApi): Promise<Told> {
  const { documents, vectors, chunks } = await endState(client, []);
  const nearest: Record<string, readonly string[]> = {};
  const matching: Record<string, readonly string[]> = {};
  for (const query of queries) {
    const semantic = await client.search({ query, mode: 'semantic', limit });
    nearest[query] = semantic.hits.map(({ chunk_id, score }) => `${chunk_id} ${score.toFixed(4)}`);
    for (const mode of ['lexical', 'hybrid'] as const) {
      const { hits } = await client.search({ query, mode, limit });
      if (hits.length < limit) matching[`${mode}: ${query}`] = hits.map(({ chunk_id }) => chunk_id).sort();
    }
  }
  return { documents, vectors, chunks, nearest, matching };
}
