import { SluiceError } from '../domain/errors.js';
import type { VersionRecord } from '../ports/catalog/port.js';
import type { VectorScope } from '../ports/vector-store/port.js';

/** Where a version's points of one space stand; undefined when its collection has nothing in that space (any more). */
export function scopeOf(version: VersionRecord, spaceId: string): VectorScope | undefined {
  const retired = version.retiredSpaces.map((each) => each.space);
  const space = [...version.spaces, ...retired].find(({ id }) => id === spaceId);
  if (space === undefined) return undefined;
  return { workspace: version.workspace, collection: version.collection, space, lexical: version.lexical };
}

/** The same, for a write that cannot do without. Throws space-mismatch. */
export function writeScope(version: VersionRecord, spaceId: string): VectorScope {
  const scope = scopeOf(version, spaceId);
  if (scope !== undefined) return scope;
  throw new SluiceError(
    'space-mismatch',
    `collection "${version.collection}" does not use space ${spaceId} but ${version.spaces.map(({ id }) => id).join(', ')}`,
  );
}
