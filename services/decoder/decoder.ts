import { topics } from '../../schema/topics.js';
import { failedCommand } from '../runtime/failed-command.js';
import { defineProcessor } from '../runtime/processor.js';
import { decodeDocument } from './decode-document.js';
import { decoderConfig } from './decoder-config.js';

/** Source bytes to decoded text with structure. */
export const decoder = defineProcessor({
  name: 'decoder',
  input: topics.documentsAccepted,
  outputs: [topics.documentCommands, topics.documentsDecoded],
  ports: ['blobStore', 'catalog'],
  config: decoderConfig,
  concurrency: (config) => config.concurrency,
  handle: ({ value }, context) => decodeDocument(value, context),
  onDeadLetter: ({ value }, error) => [failedCommand('decoder', value, error)],
});
