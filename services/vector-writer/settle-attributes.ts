import { filterableAttributes } from '../domain/filter/filterable-attributes.js';
import type { VersionRecord } from '../ports/catalog/port.js';
import type { Ports } from '../ports/ports.js';
import { isAlive } from '../runtime/fence.js';
import { scopeOf } from './scope.js';

/**
 * Writes a version's attributes to its points in every space, and again for as long as they move meanwhile: whoever
 * writes last writes the newest. Returns the record whose attributes stand, or undefined when the version is dead.
 */
export async function settleAttributes(
  version: VersionRecord | undefined,
  { catalog, vectorStore }: Pick<Ports, 'catalog' | 'vectorStore'>,
): Promise<VersionRecord | undefined> {
  for (let record = version; isAlive(record);) {
    for (const space of record.spaces) {
      const scope = scopeOf(record, space.id);
      if (scope !== undefined) await vectorStore.setAttributes(scope, record.versionHash, filterableAttributes(record));
    }
    const after = (await catalog.versions([record.versionHash])).get(record.versionHash);
    if (after?.attributeRevision === record.attributeRevision) return record;
    record = after;
  }
  return undefined;
}
