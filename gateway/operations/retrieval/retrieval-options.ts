import type { NewMessages } from '../../../schema/generated.js';
import type { SearchRequest } from '../../client/types.js';
import { requireActiveCollection } from '../collections/require-collection.js';
import type { Call, GatewayContext } from '../context.js';

/** What a search and a question say of how to search. */
export type RetrievalRequest = Omit<SearchRequest, 'query'>;

/**
 * The request's options as processors read them, with the caller's mandatory filter. Throws collection-not-found before
 * anything is asked, embedded or searched.
 */
export async function retrievalOptions(
  context: GatewayContext,
  call: Call,
  request: RetrievalRequest,
): Promise<NewMessages['RetrievalOptions']> {
  const { where } = request;
  const named = [...new Set(request.collections)];
  const collections = await Promise.all(named.map((id) => requireActiveCollection(context, call, id)));
  return {
    collections: collections.map(({ id }) => id),
    limit: request.limit ?? 5,
    mode: request.mode ?? 'hybrid',
    min_score: request.min_score ?? null,
    where: where === undefined ? null : typeof where === 'string' ? where : JSON.stringify(where),
    required_where: call.caller.required?.where ?? null,
    fusion: request.fusion ?? null,
    dense_weight: request.dense_weight ?? null,
    rank: request.rank ?? null,
    mmr_lambda: request.mmr_lambda ?? null,
    half_life_days: request.half_life_days ?? null,
    cap_per_source: request.cap_per_source ?? null,
    explain: request.explain ?? false,
    degrade: request.degrade ?? false,
  };
}
