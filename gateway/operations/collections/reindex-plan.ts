import { embeddedText } from '../../../services/domain/text.js';
import { mapConcurrently } from '../../../services/ports/blob-store/map-concurrently.js';
import { readPack } from '../../../services/ports/blob-store/packs.js';
import type { VersionRecord } from '../../../services/ports/catalog/port.js';
import type { ReindexPlan } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import type { Call, GatewayContext } from '../context.js';
import { spaceView } from '../views/collection.js';
import { pinnedModel } from './pinning.js';
import { requireActiveCollection } from './require-collection.js';

const documentsAtOnce = 100;
const concurrentReads = 8;

/**
 * What a reindex would do, from the chunks that are stored: nothing is embedded and nothing changes. Throws
 * collection-not-found, space-mismatch for an unknown model.
 */
export async function planReindex(
  context: GatewayContext,
  call: Call,
  { collection: name, model: wanted }: { collection: string; model: string },
): Promise<ReindexPlan> {
  requireUnfiltered(call.caller, 'plan a reindex');
  const { catalog, blobStore, embeddingModels } = context.ports;
  const { workspace, id, space } = await requireActiveCollection(context, call, name);
  const model = pinnedModel(embeddingModels, wanted);
  const plan = { documents: 0, chunks: 0, windowed_chunks: 0 };

  const add = async (version: VersionRecord, pack: number): Promise<void> => {
    call.signal.throwIfAborted();
    const chunks = (await readPack(blobStore, workspace, version.versionHash, pack))?.chunks ?? [];
    const texts = chunks.map((chunk) => embeddedText(chunk, version.chunkerSpec.contextPrefix));
    const windows = await model.windows(texts, call.signal);
    plan.windowed_chunks += windows.filter((count) => count > 1).length;
  };
  for (let after: string | null | undefined; after !== null;) {
    const page = await catalog.documents({
      ...{ workspace, collection: id, limit: documentsAtOnce },
      ...(after === undefined ? {} : { after }),
    });
    const live = page.items.flatMap((document) => document.live ?? []);
    plan.documents += live.length;
    plan.chunks += live.reduce((sum, { chunks }) => sum + (chunks ?? 0), 0);
    const packs = live.flatMap((version) =>
      Array.from({ length: version.packs ?? 0 }, (_, pack) => ({ version, pack })),
    );
    await mapConcurrently(packs, concurrentReads, ({ version, pack }) => add(version, pack));
    after = page.next;
  }
  return { collection: id, from: spaceView(space), to: spaceView(model.space), ...plan };
}
