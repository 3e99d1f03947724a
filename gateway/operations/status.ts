import type { Models, Status } from '../client/types.js';
import { requireUnfiltered } from '../access/require-unfiltered.js';
import { countVectors } from './collections/statistics.js';
import type { Call, GatewayContext } from './context.js';
import { countDeadLetters } from './dead-letters/list.js';
import { spaceView } from './views/collection.js';

/** How much there is of everything in the caller's workspace. */
export async function status(context: GatewayContext, call: Call): Promise<Status> {
  requireUnfiltered(call.caller, 'read the status');
  const { catalog } = context.ports;
  const { workspace } = call.caller;
  const collections = await catalog.collections(workspace);
  const total: Status = {
    documents: { pending: 0, processing: 0, ready: 0, failed: 0 },
    chunks: 0,
    vectors: 0,
    dead_letters: await countDeadLetters(context, call),
    collections: collections.length,
    workspace,
    version: context.version,
  };
  for (const collection of collections) {
    const { documents, chunks } = await catalog.statistics(workspace, collection.id);
    total.documents.pending += documents.pending;
    total.documents.processing += documents.processing;
    total.documents.ready += documents.ready;
    total.documents.failed += documents.failed;
    total.chunks += chunks;
    total.vectors += await countVectors(context, collection);
  }
  return total;
}

/** The models that this server works with. */
export function models({ ports }: GatewayContext): Models {
  const { embeddingModels, languageModel, reranker } = ports;
  return {
    embedding: embeddingModels.all.map(({ space, fusion }) => ({
      space: spaceView(space),
      default: space.id === embeddingModels.default.space.id,
      fusion: { method: fusion.method, dense_weight: fusion.denseWeight },
    })),
    language: { name: languageModel.name, context_window: languageModel.contextWindow },
    reranker: reranker?.name ?? null,
  };
}
