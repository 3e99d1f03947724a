import { Type } from '@sinclair/typebox';
import { topics } from '../../schema/topics.js';
import { defineProcessor, output } from '../runtime/processor.js';
import { settleAttributes } from './settle-attributes.js';

/** Changed attributes to the points of their version. The message carries none: they are read from the catalog. */
export const payloadWriter = defineProcessor({
  name: 'payload-writer',
  input: topics.payloadUpdates,
  outputs: [topics.documentCommands],
  ports: ['catalog', 'vectorStore'],
  config: Type.Object({}),
  concurrency: () => 4,
  async handle({ value }, { ports }) {
    const { workspace, collection, document_id, version, version_hash } = value;
    const record = await settleAttributes((await ports.catalog.versions([version_hash])).get(version_hash), ports);
    if (record === undefined) return [];
    const revision = record.attributeRevision;
    return [
      output(topics.documentCommands, {
        ...{ kind: 'payload-updated', workspace, collection, document_id, version, version_hash, revision },
      }),
    ];
  },
});
