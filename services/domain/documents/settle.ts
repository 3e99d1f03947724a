import type { Draft } from './draft.js';
import { holdsAllPacks, noPacks } from './pack-set.js';
import { inFlight, liveVersion, newestVersion, type CollectionFacts, type Version } from './state.js';

/** Whether every pack of the version is confirmed in every space that its collection wants. */
export function isComplete(version: Version, collection: CollectionFacts): boolean {
  const { packs } = version;
  return (
    packs !== null && collection.spaces.every((space) => holdsAllPacks(version.confirmed[space] ?? noPacks, packs))
  );
}

/**
 * The swap: makes a complete version ready and the one that was live before superseded, at one instant. A failed
 * version whose packs came in after all is no exception, as long as it is the newest.
 */
export function settle(draft: Draft, version: Version, collection: CollectionFacts | undefined): void {
  if (!inFlight(version) && version.state !== 'failed') return;
  if (collection?.state !== 'active' || !isComplete(version, collection)) return;
  if (newestVersion(draft.state)?.version !== version.version) return;
  const live = liveVersion(draft.state);
  // A clock that was set back must not give the old version a life that ends before it began.
  const at = Math.max(draft.now, live?.liveSince ?? 0);
  if (live !== undefined) {
    const why = { code: 'stale', reason: `version ${version.version} has taken the place of version ${live.version}` };
    draft.change(draft.endOperations(live, 'stale', why), { state: 'superseded', supersededAt: at, behind: null });
  }
  const ready = draft.change(version, {
    state: 'ready',
    liveSince: at,
    pointsOutdated: false,
    redrives: 0,
    stage: null,
    code: null,
    reason: null,
  });
  if (version.pointsOutdated) draft.effect({ kind: 'update-payload', version: ready });
  draft.endOperations(ready, 'ready', { replaced: live?.version ?? null });
}
