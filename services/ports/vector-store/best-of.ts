import { compareBytes } from '../../domain/identity.js';
import type { ScoredPoint } from './port.js';

/** Asked beyond the limit, to see whether the cut falls between equal scores. */
const slack = 16;

/**
 * The best `limit` of a search, best first, ties by chunk id in byte order. An engine breaks ties in its own way, so as
 * long as the cut falls between equal scores more are fetched.
 */
export async function bestOf(
  limit: number,
  fetch: (limit: number) => Promise<readonly ScoredPoint[]>,
): Promise<readonly ScoredPoint[]> {
  for (let wanted = limit + slack; ; wanted *= 4) {
    const points = await fetch(wanted);
    const cut = points[limit - 1]?.score;
    if (points.length < wanted || cut !== points.at(-1)?.score) {
      return [...points].sort((a, b) => b.score - a.score || compareBytes(a.chunkId, b.chunkId)).slice(0, limit);
    }
  }
}
