import { Type } from '@sinclair/typebox';
import { topics } from '../../schema/topics.js';
import { crashPoint } from '../runtime/crash-points.js';
import { defineProcessor, output } from '../runtime/processor.js';
import { scopeOf } from './scope.js';

export const purgerConfig = Type.Object({});

/**
 * Removes the points of dead versions from every space that may hold them. The version's row is still there: the
 * librarian removes it only when the points are gone.
 */
export const purger = defineProcessor({
  name: 'purger',
  input: topics.purges,
  outputs: [topics.documentCommands],
  ports: ['catalog', 'vectorStore'],
  config: purgerConfig,
  concurrency: () => 4,
  async handle({ value }, { ports: { catalog, vectorStore } }) {
    const { workspace, collection, document_id, version, version_hash, spaces } = value;
    const record = (await catalog.versions([version_hash])).get(version_hash);
    if (record !== undefined) {
      for (const space of spaces) {
        const scope = scopeOf(record, space);
        if (scope !== undefined) await vectorStore.delete(scope, { versionHash: version_hash });
      }
    }
    crashPoint('purger.after-delete');
    return [
      output(topics.documentCommands, {
        ...{ kind: 'purged', workspace, collection, document_id, version, version_hash },
      }),
    ];
  },
});
