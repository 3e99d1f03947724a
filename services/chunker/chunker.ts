import { topics } from '../../schema/topics.js';
import { failedCommand } from '../runtime/failed-command.js';
import { defineProcessor } from '../runtime/processor.js';
import { chunkDocument } from './chunk-document.js';
import { chunkerConfig } from './chunker-config.js';

/** Decoded text to packs of chunks, by the spec that is pinned with the collection. */
export const chunker = defineProcessor({
  name: 'chunker',
  input: topics.documentsDecoded,
  outputs: [topics.chunksCreated, topics.documentCommands],
  ports: ['blobStore', 'catalog'],
  config: chunkerConfig,
  concurrency: (config) => config.concurrency,
  handle: ({ value }, context) => chunkDocument(value, context),
  onDeadLetter: ({ value }, error) => [failedCommand('chunker', value, error)],
});
