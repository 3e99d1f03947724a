import { spaceOfChunksKey, topics } from '../../schema/topics.js';
import { defineProcessor } from '../runtime/processor.js';
import { failedCommand } from '../runtime/failed-command.js';
import { embedderConfig } from './embedder-config.js';
import { embedPacks } from './embed-packs.js';

/** Packs of chunks to vectors in the space that each message names. */
export const embedder = defineProcessor({
  name: 'embedder',
  input: topics.chunksCreated,
  outputs: [topics.chunksEmbedded, topics.documentCommands],
  ports: ['blobStore', 'catalog', 'embeddingModels'],
  config: embedderConfig,
  dependency: spaceOfChunksKey,
  concurrency: (config) => config.concurrency,
  batch: ({ maxPacksPerCall, lingerMs, busyLingerMs }) => ({
    maxItems: maxPacksPerCall,
    maxBytes: 1 << 20,
    ...{ lingerMs, busyLingerMs },
  }),
  handleBatch: (deliveries, { ports, signal }) =>
    embedPacks(
      deliveries.map(({ value }) => value),
      ports,
      signal,
    ),
  onDeadLetter: ({ value }, error) => [failedCommand('embedder', value, error)],
});
