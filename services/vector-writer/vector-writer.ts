import { topics } from '../../schema/topics.js';
import { failedCommand } from '../runtime/failed-command.js';
import { defineProcessor } from '../runtime/processor.js';
import { vectorWriterConfig } from './vector-writer-config.js';
import { writePoints } from './write-points.js';

/** Embedded packs to points of the vector store; a pack is confirmed once its points are durable. */
export const vectorWriter = defineProcessor({
  name: 'vector-writer',
  input: topics.chunksEmbedded,
  outputs: [topics.documentCommands],
  ports: ['blobStore', 'catalog', 'vectorStore'],
  config: vectorWriterConfig,
  concurrency: (config) => config.concurrency,
  batch: ({ maxPacksPerRound, lingerMs, busyLingerMs }) => ({
    maxItems: maxPacksPerRound,
    maxBytes: 4 << 20,
    ...{ lingerMs, busyLingerMs },
  }),
  handleBatch: (deliveries, { ports }) =>
    writePoints(
      deliveries.map(({ value }) => value),
      ports,
    ),
  onDeadLetter({ value: { metadata, space } }, error) {
    const { workspace, collection, document_id, version, version_hash, pack } = metadata;
    if (version === null || version_hash === null || pack === null) return [];
    const message = { workspace, collection, document_id, version, version_hash, pack, space };
    return [failedCommand('vector-writer', message, error)];
  },
});
