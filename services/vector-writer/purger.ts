import { Type, type Static } from '@sinclair/typebox';
import type { Purge } from '../../schema/generated.js';
import { topics } from '../../schema/topics.js';
import type { Ports } from '../ports/ports.js';
import { crashPoint } from '../runtime/crash-points.js';
import { defineProcessor, output, type Outcome, type Output } from '../runtime/processor.js';
import { scopeOf } from './scope.js';

const purgerConfig = Type.Object({
  maxVersionsPerRound: Type.Integer({
    description: 'How many dead versions are gathered for one round of removal.',
    default: 128,
    minimum: 1,
  }),
});

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
  batch: ({ maxVersionsPerRound }: Static<typeof purgerConfig>) => ({
    maxItems: maxVersionsPerRound,
    maxBytes: 1 << 20,
    lingerMs: 0,
  }),
  handleBatch: (deliveries, { ports }) =>
    purge(
      deliveries.map(({ value }) => value),
      ports,
    ),
});

/** The deletions of a round are asked for at once: a store that can makes one of them. An outage throws. */
async function purge(
  messages: readonly Purge[],
  { catalog, vectorStore }: Pick<Ports, 'catalog' | 'vectorStore'>,
): Promise<readonly Outcome<Output<typeof topics.documentCommands>>[]> {
  const versions = await catalog.versions([...new Set(messages.map((message) => message.version_hash))]);
  await Promise.all(
    messages.map(async ({ workspace, collection, version_hash: versionHash, spaces }) => {
      const version = versions.get(versionHash);
      if (versionHash === '') await purgeSpaces({ workspace, collection, spaces }, { catalog, vectorStore });
      if (version === undefined) return;
      for (const space of spaces) {
        const scope = scopeOf(version, space);
        if (scope !== undefined) await vectorStore.delete(scope, { versionHash });
      }
    }),
  );
  crashPoint('purger.after-effect');
  return messages.map(({ workspace, collection, document_id, version, version_hash, spaces }) => ({
    outputs:
      version_hash === ''
        ? spaces.map((space) => output(topics.documentCommands, { kind: 'space-purged', workspace, collection, space }))
        : [
            output(topics.documentCommands, {
              ...{ kind: 'purged', workspace, collection, document_id, version, version_hash },
            }),
          ],
  }));
}

/** Removes every point of spaces that a collection has left. */
async function purgeSpaces(
  { workspace, collection, spaces }: Pick<Purge, 'workspace' | 'collection' | 'spaces'>,
  { catalog, vectorStore }: Pick<Ports, 'catalog' | 'vectorStore'>,
): Promise<void> {
  const record = await catalog.collection(workspace, collection);
  for (const { space, purgeBegun } of record?.retiredSpaces ?? []) {
    if (record === undefined || !purgeBegun || !spaces.includes(space.id)) continue;
    await vectorStore.delete({ workspace, collection, space, lexical: record.lexical }, { all: true });
    crashPoint('purger.space');
  }
}
