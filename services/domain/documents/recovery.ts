import type { CommandOf } from './command.js';
import type { Draft } from './draft.js';
import { waiting } from '../collections/conversion.js';
import { catchUp, fallBehind, isReindexed } from './conversion.js';
import { fail } from './fail.js';
import { missingPacks, noPacks } from './pack-set.js';
import { settle } from './settle.js';
import { inFlight, liveVersion, newestVersion, textOrigin, type CollectionFacts, type Version } from './state.js';

/** How often a silent version is driven again before it is called failed. */
export const maxRedrives = 3;

/** Asks again for what is missing, from the last stage whose result is durable. */
function drive(draft: Draft, version: Version, collection: CollectionFacts): void {
  if (version.textSha256 === null) {
    draft.effect({ kind: 'decode', version, textOf: textOrigin(draft.state, version) });
  } else if (version.packs === null) {
    draft.effect({ kind: 'chunk', version });
  } else {
    for (const space of collection.spaces) {
      const packs = missingPacks(version.confirmed[space] ?? noPacks, version.packs);
      if (packs.length > 0) draft.effect({ kind: 'embed', version, space, packs });
    }
    settle(draft, version, collection);
  }
}

/** Puts a failed version to work again where it stopped, or among those that wait for the end of a pause. */
export function driveAgain(draft: Draft, version: Version, collection: CollectionFacts): void {
  const changed = draft.change(version, {
    state: collection.paused ? 'pending' : 'processing',
    stage: null,
    code: null,
    reason: null,
    redrives: 0,
  });
  const live = liveVersion(draft.state);
  // It waits for this version again, in a rechunk of the collection.
  if (live?.behind?.state === 'failed' && !isReindexed(collection)) draft.change(live, { behind: waiting });
  if (!collection.paused) drive(draft, changed, collection);
}

/** A caller's retry: of the newest version, and only if that failed; a dead letter of an older one is stale. */
export function retry(draft: Draft, command: CommandOf<'retry'>, collection: CollectionFacts | undefined): void {
  const newest = newestVersion(draft.state);
  if (newest === undefined) {
    const { collection: name, documentId } = draft.state.key;
    draft.outcome(command.operation, 'refused', {
      code: 'document-not-found',
      reason: `document ${JSON.stringify(documentId)} does not exist in collection "${name}"`,
    });
    return;
  }
  const live = liveVersion(draft.state);
  if (live?.behind?.state === 'failed' && isReindexed(collection) && collection?.state === 'active') {
    const alone = live.version === newest.version;
    const operations = alone ? [...live.operations, command.operation] : live.operations;
    catchUp(draft, draft.change(live, { operations }), collection, 0);
    if (alone) {
      draft.outcome(command.operation, 'accepted', { version: live.version });
      return;
    }
  }
  const version = command.version ?? newest.version;
  if (version !== newest.version || newest.state !== 'failed' || collection?.state !== 'active') {
    draft.outcome(command.operation, 'stale', {
      version,
      code: 'stale',
      reason:
        version === newest.version
          ? `version ${version} is ${newest.state}; only a failed version can be tried again`
          : `version ${newest.version} has taken the place of version ${version}`,
    });
    return;
  }
  const joined = draft.change(newest, { operations: [...newest.operations, command.operation] });
  draft.outcome(command.operation, 'accepted', { version });
  driveAgain(draft, joined, collection);
}

/** A sweep found the version silent, and nothing of it left in any queue. */
export function stalled(draft: Draft, command: CommandOf<'stalled'>, collection: CollectionFacts | undefined): void {
  const version = draft.version(command.version);
  // Anything heard of the document since the sweep looked means that it is not silent.
  if (version === undefined || command.seq !== draft.state.seq) return;
  if (collection?.state !== 'active' || collection.paused) return;
  if (version.state === 'ready' && version.behind?.state === 'waiting' && isReindexed(collection)) {
    if (version.redrives < maxRedrives) catchUp(draft, version, collection, version.redrives + 1);
    else fallBehind(draft, version, { stage: 'embedder', code: 'stalled', reason: silence(version) });
    return;
  }
  if (!inFlight(version)) return;
  if (version.redrives < maxRedrives) {
    drive(draft, draft.change(version, { redrives: version.redrives + 1 }), collection);
    return;
  }
  const stage = version.textSha256 === null ? 'decoder' : version.packs === null ? 'chunker' : 'embedder';
  fail(draft, version, collection, { stage, code: 'stalled', reason: silence(version) });
}

const silence = ({ version }: Version): string =>
  `nothing was heard of version ${version} after it was driven ${maxRedrives} times; retry it`;

/** The collection is no longer paused: what was only taken in begins. Unlike a new attempt, this counts for nothing. */
export function resumed(draft: Draft, command: CommandOf<'resumed'>, collection: CollectionFacts | undefined): void {
  const version = draft.version(command.version);
  if (version?.state !== 'pending' || command.seq !== draft.state.seq) return;
  if (collection?.state !== 'active' || collection.paused) return;
  drive(draft, version, collection);
}
