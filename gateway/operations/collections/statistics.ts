import type { CollectionRecord } from '../../../services/ports/catalog/port.js';
import type { CollectionStatistics } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import type { Call, GatewayContext } from '../context.js';
import { chunkerView, spaceView } from '../views/collection.js';
import { requireCollection } from './require-collection.js';

/** What a collection holds. Throws collection-not-found. */
export async function collectionStatistics(
  context: GatewayContext,
  call: Call,
  { collection }: { collection: string },
): Promise<CollectionStatistics> {
  requireUnfiltered(call.caller, 'read statistics');
  const record = await requireCollection(context, call, collection);
  const [statistics, vectors] = await Promise.all([
    context.ports.catalog.statistics(record.workspace, record.id),
    countVectors(context, record),
  ]);
  return {
    collection: record.id,
    documents: { ...statistics.documents },
    chunks: statistics.chunks,
    bytes: statistics.bytes,
    vectors,
    space: spaceView(record.space),
    chunker: record.chunkerSpec === null ? null : chunkerView(record.chunkerSpec),
    last_ingest: statistics.lastIngest?.toISOString() ?? null,
    snapshot: statistics.snapshot,
  };
}

/** How many points stand in the collection's space. */
export const countVectors = (
  { ports }: GatewayContext,
  { workspace, id, space, lexical }: CollectionRecord,
): Promise<number> => ports.vectorStore.count({ workspace, collection: id, space, lexical });
