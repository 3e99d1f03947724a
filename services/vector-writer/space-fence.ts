import type { VersionRecord } from '../ports/catalog/port.js';
import { afterWrite } from '../runtime/fence.js';

/**
 * What to do with points that were written in a space, now that they stand: as `afterWrite` says of the version, unless
 * its collection has left the space meanwhile. Then the purge of the space finds them, or has passed already.
 */
export function afterWriteIn(space: string, version: VersionRecord | undefined): ReturnType<typeof afterWrite> {
  const then = afterWrite(version);
  if (then !== 'keep' || version?.spaces.some(({ id }) => id === space) !== false) return then;
  const retired = version.retiredSpaces.find((each) => each.space.id === space);
  return retired?.purgeBegun === false ? 'leave' : 'remove';
}
