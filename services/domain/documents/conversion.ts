import { sameSpec } from '../chunker-spec.js';
import { waiting, type Behind } from '../collections/conversion.js';
import { versionHash } from '../identity.js';
import type { Draft } from './draft.js';
import { missingPacks, noPacks } from './pack-set.js';
import { isComplete, settle } from './settle.js';
import { inFlight, liveVersion, newestVersion, textOrigin, type CollectionFacts, type Version } from './state.js';

/** The space that is to take over from the collection's own, while a reindex runs. */
const targetOf = (collection: CollectionFacts): string | undefined => collection.spaces[1];

export const isReindexed = (collection: CollectionFacts | undefined): boolean =>
  collection !== undefined && targetOf(collection) !== undefined;

/**
 * A step of a collection's reindex: what the target space lacks is asked for. When the reindex is over, what it left
 * behind is settled: versions that waited for the old space, and live ones that were skipped.
 */
export function reindexDocument(draft: Draft, collection: CollectionFacts | undefined): void {
  if (collection?.state !== 'active') return;
  if (targetOf(collection) !== undefined) {
    for (const version of draft.state.versions) {
      if (inFlight(version) || version.state === 'ready') embedInTarget(draft, version, collection);
    }
    return;
  }
  for (const version of draft.state.versions) forgetOtherSpaces(draft, version, collection);
  const newest = newestVersion(draft.state);
  const live = liveVersion(draft.state);
  if (live !== undefined && live.behind !== null) leaveBehind(draft, live, collection);
  else if (newest !== undefined) settle(draft, newest, collection);
}

/** What was confirmed in a space is worth nothing once its points go: the space may come to be a target again. */
function forgetOtherSpaces(draft: Draft, version: Version, { spaces }: CollectionFacts): void {
  const ofThese = <T>(by: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(by).filter(([space]) => spaces.includes(space)));
  if (version.purgeBegun || Object.keys(version.confirmed).every((space) => spaces.includes(space))) return;
  draft.change(version, { confirmed: ofThese(version.confirmed), windowed: ofThese(version.windowed) });
}

function leaveBehind(draft: Draft, live: Version, collection: CollectionFacts): void {
  caughtUp(draft, live, collection);
  if (isComplete(live, collection)) return;
  const { stage, code, reason } = live.behind ?? waiting;
  const ended = draft.endOperations(live, 'failed', { code, reason });
  // Without vectors nobody finds it, so nothing may call it ready.
  const newest = newestVersion(draft.state);
  if (live.version === newest?.version) draft.change(ended, { state: 'failed', behind: null, stage, code, reason });
  else draft.change(ended, { state: 'superseded', behind: null, supersededAt: draft.now });
  if (newest !== undefined && newest.version !== live.version) settle(draft, newest, collection);
}

function embedInTarget(draft: Draft, version: Version, collection: CollectionFacts): void {
  const space = targetOf(collection);
  if (space === undefined || version.packs === null) return;
  const packs = missingPacks(version.confirmed[space] ?? noPacks, version.packs);
  if (packs.length > 0) draft.effect({ kind: 'embed', version, space, packs });
}

/** A pack of a live version was confirmed in the target: it may be the last one. */
export function caughtUp(draft: Draft, version: Version, collection: CollectionFacts | undefined): void {
  if (version.behind === null || collection === undefined || !isComplete(version, collection)) return;
  draft.endOperations(draft.change(version, { behind: null, redrives: 0 }), 'ready', {});
}

/** Puts a live version to work in the target again. */
export function catchUp(draft: Draft, version: Version, collection: CollectionFacts, redrives: number): void {
  embedInTarget(draft, draft.change(version, { behind: waiting, redrives }), collection);
}

/** The live version of the document stays as it is, and holds the conversion until somebody tries again. */
export function fallBehind(draft: Draft, version: Version, why: Omit<Behind, 'state'>): void {
  const { stage, code, reason } = why;
  const changed = draft.change(version, { behind: { state: 'failed', stage, code, reason } });
  draft.endOperations(changed, 'failed', { code, reason });
}

/**
 * A step of a collection's rechunk: a next version of the newest one's text, by the spec that its collection has now.
 * Whoever waits for a version that was not ready yet waits for that one.
 */
export function rechunkDocument(draft: Draft, collection: CollectionFacts | undefined): void {
  const newest = newestVersion(draft.state);
  if (collection?.state !== 'active' || collection.chunkerSpec === null || newest === undefined) return;
  if (sameSpec(newest.chunkerSpec, collection.chunkerSpec)) {
    const live = liveVersion(draft.state);
    if (newest.state === 'failed' && live?.behind?.state === 'waiting') fallBehind(draft, live, newest);
    return;
  }
  const operations = newest.state === 'ready' ? [] : newest.operations;
  const number = draft.state.lastVersion + 1;
  for (const older of draft.state.versions) {
    if (!inFlight(older) && older.state !== 'failed') continue;
    draft.change(older, { state: 'superseded', supersededAt: draft.now, operations: [] });
  }
  const version: Version = {
    ...newest,
    version: number,
    versionHash: versionHash(draft.state.key, number),
    chunkerSpec: collection.chunkerSpec,
    ...{ state: 'pending', purgeBegun: false, redrives: 0, stage: null, code: null, reason: null, behind: null },
    ...{ decodedType: null, decodedTitle: null, decodedAttributes: null, attributeRevision: 1, pointsOutdated: false },
    ...{ textSha256: null, textBytes: null, packs: null, chunks: null, confirmed: {}, windowed: {}, operations },
    ...{ createdAt: draft.now, updatedAt: draft.now, liveSince: null, supersededAt: null },
  };
  draft.append(version);
  if (!collection.paused) draft.effect({ kind: 'decode', version, textOf: textOrigin(draft.state, version) });
}
