import type { ChunksEmbedded } from '../../schema/generated.js';
import { topics } from '../../schema/topics.js';
import { SluiceError } from '../domain/errors.js';
import { mapConcurrently } from '../ports/blob-store/map-concurrently.js';
import { readPack } from '../ports/blob-store/packs.js';
import type { VersionRecord } from '../ports/catalog/port.js';
import type { Ports } from '../ports/ports.js';
import type { Point, VectorScope } from '../ports/vector-store/port.js';
import { crashPoint } from '../runtime/crash-points.js';
import { isAlive } from '../runtime/fence.js';
import { output, type Outcome, type Output } from '../runtime/processor.js';
import { pointsOf } from './points.js';
import { writeScope } from './scope.js';
import { settleAttributes } from './settle-attributes.js';
import { afterWriteIn } from './space-fence.js';

type WriterPorts = Pick<Ports, 'blobStore' | 'catalog' | 'vectorStore'>;
type Confirmation = Output<typeof topics.documentCommands>;

/** A message whose points are ready to be written. */
interface Prepared {
  readonly message: ChunksEmbedded;
  readonly versionHash: string;
  /** Of the attributes that the points carry. */
  readonly attributeRevision: number;
  readonly scope: VectorScope;
  readonly points: readonly Point[];
}

const concurrentReads = 16;

/**
 * Writes the points of packs of many documents, one upsert per scope, reads the versions again, and confirms the packs
 * of those that still live. One outcome per message, in order; an outage throws.
 */
export async function writePoints(
  messages: readonly ChunksEmbedded[],
  ports: WriterPorts,
): Promise<readonly Outcome<Confirmation>[]> {
  const { catalog, vectorStore } = ports;
  const hashes = [...new Set(messages.flatMap(({ metadata }) => metadata.version_hash ?? []))];
  const before = await catalog.versions(hashes);
  const prepared = await mapConcurrently(messages, concurrentReads, (message) =>
    prepare(message, before.get(message.metadata.version_hash ?? ''), ports),
  );
  const writable = prepared.filter((item): item is Prepared => typeof item === 'object' && 'points' in item);
  const failures = new Map<Prepared, unknown>();
  await Promise.all(
    byScope(writable).map(async (group) => {
      const [first] = group;
      if (first === undefined) return;
      try {
        await vectorStore.upsert(
          first.scope,
          group.flatMap(({ points }) => points),
        );
      } catch (error) {
        // One pack that the store refuses must not keep the others: the runtime tries them again, by halves.
        if (group.length > 1 || isOutage(error)) throw error;
        failures.set(first, error);
      }
    }),
  );
  crashPoint('vector-writer.after-effect');
  crashPoint('vector-writer.fence');
  const after = await catalog.versions([...new Set(writable.map(({ versionHash }) => versionHash))]);
  return mapConcurrently(prepared, 1, async (item) => {
    if (item === 'done') return { outputs: [] };
    if ('error' in item) return item;
    if (failures.has(item)) return { error: failures.get(item) };
    switch (afterWriteIn(item.message.space, after.get(item.versionHash))) {
      case 'keep': {
        const read = after.get(item.versionHash);
        const moved = read?.attributeRevision !== item.attributeRevision;
        const settled = moved ? await settleAttributes(read, ports) : read;
        // Died meanwhile: whoever buries it came after the points and finds them.
        if (settled === undefined) return { outputs: [] };
        return { outputs: [confirmation(item, settled.attributeRevision)] };
      }
      case 'leave':
        return { outputs: [] };
      case 'remove':
        await vectorStore.delete(item.scope, { pointIds: item.points.map((point) => point.pointId) });
        return { outputs: [] };
    }
  });
}

const isOutage = (error: unknown): boolean => error instanceof SluiceError && error.class === 'unavailable';

async function prepare(
  message: ChunksEmbedded,
  version: Parameters<typeof isAlive>[0],
  { blobStore }: WriterPorts,
): Promise<Prepared | 'done' | { readonly error: unknown }> {
  if (!isAlive(version) || hasLeft(version, message.space)) return 'done';
  const { workspace, pack: number, document_id: document } = message.metadata;
  if (number === null) return 'done';
  try {
    const scope = writeScope(version, message.space);
    const pack = await readPack(blobStore, workspace, version.versionHash, number);
    if (pack === undefined) {
      throw new SluiceError('internal', `pack ${number} of document "${document}" is missing in the blob store`);
    }
    const { versionHash, attributeRevision } = version;
    return { message, versionHash, attributeRevision, scope, points: pointsOf(message, pack, version) };
  } catch (error) {
    if (isOutage(error)) throw error;
    return { error };
  }
}

/** Whether the collection of a version has moved on from a space. */
const hasLeft = ({ retiredSpaces }: VersionRecord, space: string): boolean =>
  retiredSpaces.some((retired) => retired.space.id === space);

function byScope(items: readonly Prepared[]): readonly (readonly Prepared[])[] {
  const groups = new Map<string, Prepared[]>();
  for (const item of items) {
    const { workspace, collection, space } = item.scope;
    const key = `${workspace}/${collection}/${space.id}`;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()];
}

function confirmation({ message }: Prepared, revision: number): Confirmation {
  const { workspace, collection, document_id, version, version_hash, pack } = message.metadata;
  return output(topics.documentCommands, {
    kind: 'indexed',
    ...{ workspace, collection, document_id, version, version_hash, pack, space: message.space, revision },
    windowed: message.windowed,
  });
}
