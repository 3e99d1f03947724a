import { fallBehind, isReindexed } from './conversion.js';
import type { Draft } from './draft.js';
import { liveVersion, type CollectionFacts, type Version } from './state.js';

/**
 * A version in flight fails. A live one that waited for it to take its place, in a rechunk of the collection, waits no
 * more; nor does anybody else.
 */
export function fail(
  draft: Draft,
  version: Version,
  collection: CollectionFacts | undefined,
  why: { readonly stage: string | null; readonly code: string; readonly reason: string | null },
): void {
  const { code, reason } = why;
  draft.endOperations(draft.change(version, { state: 'failed', ...why }), 'failed', { code, reason });
  const live = liveVersion(draft.state);
  if (live?.behind?.state === 'waiting' && !isReindexed(collection)) fallBehind(draft, live, why);
}
