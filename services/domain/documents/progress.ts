import type { Chunked, Decoded, Failed, Indexed } from './command.js';
import { caughtUp, fallBehind, isReindexed } from './conversion.js';
import type { Draft } from './draft.js';
import { withDecodedAttributes } from './metadata.js';
import { fail } from './fail.js';
import { hasPack, missingPacks, noPacks, withPack } from './pack-set.js';
import { settle } from './settle.js';
import { inFlight, type CollectionFacts, type Version } from './state.js';

/** The version, if it is one of those that still take what the stages say: failed ones do, dead ones do not. */
function alive(draft: Draft, number: number): Version | undefined {
  const version = draft.version(number);
  return version !== undefined && (inFlight(version) || version.state === 'ready' || version.state === 'failed')
    ? version
    : undefined;
}

const atWork = (version: Version): Partial<Version> => (version.state === 'pending' ? { state: 'processing' } : {});

/** The text is written. It may be said late, even after `ready`: then it only fills in what was not known. */
export function decoded(draft: Draft, command: Decoded, collection: CollectionFacts | undefined): void {
  const version = alive(draft, command.version);
  if (version === undefined) return;
  const known = version.textSha256 === command.textSha256 && version.decodedAttributes !== null;
  if (known || (version.state === 'ready' && version.textSha256 !== null)) return;
  const otherText = version.textSha256 !== null && version.textSha256 !== command.textSha256;
  const changed = draft.change(version, {
    ...atWork(version),
    textSha256: command.textSha256,
    textBytes: command.textBytes,
    decodedType: command.contentType,
    decodedTitle: command.title,
    ...withDecodedAttributes(version, command.attributes),
    // Packs of another text are worth nothing.
    ...(otherText ? { packs: null, chunks: null, confirmed: {}, windowed: {}, pointsOutdated: false } : {}),
  });
  if (changed.state === 'ready' && changed.attributeRevision !== version.attributeRevision) {
    draft.effect({ kind: 'update-payload', version: changed });
  }
  settle(draft, changed, collection);
}

/** The number of packs is known; it may come after packs were confirmed. */
export function chunked(draft: Draft, command: Chunked, collection: CollectionFacts | undefined): void {
  const version = alive(draft, command.version);
  if (version === undefined || version.state === 'ready') return;
  if (version.packs === command.packs && version.chunks === command.chunks) return;
  const changed = draft.change(version, { ...atWork(version), packs: command.packs, chunks: command.chunks });
  // A reindex began while it was being cut: the packs before that went to the old space alone.
  for (const space of command.spaces == null ? [] : (collection?.spaces ?? [])) {
    if (command.spaces?.includes(space) === true) continue;
    const packs = missingPacks(changed.confirmed[space] ?? noPacks, command.packs);
    if (packs.length > 0) draft.effect({ kind: 'embed', version: changed, space, packs });
  }
  settle(draft, changed, collection);
}

/** The points of one pack stand in one space. */
export function indexed(draft: Draft, command: Indexed, collection: CollectionFacts | undefined): void {
  const version = alive(draft, command.version);
  if (version === undefined || (version.packs !== null && command.pack >= version.packs)) return;
  if (collection !== undefined && !collection.spaces.includes(command.space)) {
    // Of a space that the collection has left: it may have been the last thing that the version waited for.
    settle(draft, version, collection);
    return;
  }
  const confirmed = version.confirmed[command.space] ?? noPacks;
  const outdated =
    command.revision === null ? version.attributeRevision > 1 : command.revision < version.attributeRevision;
  if (version.state === 'ready') {
    // Written again under older attributes than those that stand now.
    if (outdated && command.revision !== null) draft.effect({ kind: 'update-payload', version });
    if (hasPack(confirmed, command.pack)) return;
  } else if (hasPack(confirmed, command.pack)) {
    if (outdated && !version.pointsOutdated) draft.change(version, { pointsOutdated: true });
    return;
  }
  const changed = draft.change(version, {
    ...atWork(version),
    confirmed: { ...version.confirmed, [command.space]: withPack(confirmed, command.pack) },
    ...windowedIn(version, command),
    pointsOutdated: version.state !== 'ready' && (version.pointsOutdated || outdated),
  });
  if (changed.state === 'ready') caughtUp(draft, changed, collection);
  else settle(draft, changed, collection);
}

/** A stage gave up on the version. What it has is kept, and it goes on accepting packs. */
export function failed(draft: Draft, command: Failed, collection: CollectionFacts | undefined): void {
  const version = draft.version(command.version);
  if (command.space != null && collection !== undefined && !collection.spaces.includes(command.space)) return;
  if (version === undefined) return;
  const { stage, reason } = command;
  const code = command.code ?? 'internal';
  if (version.state === 'ready' && version.behind?.state === 'waiting') {
    if (isReindexed(collection)) fallBehind(draft, version, { stage, code, reason });
    return;
  }
  if (!inFlight(version) && version.state !== 'failed') return;
  if (version.state === 'failed' && version.stage === stage && version.code === code && version.reason === reason) {
    return;
  }
  fail(draft, version, collection, { stage, code, reason });
}

/** What a pack adds to the count of long chunks, at its first confirmation. */
function windowedIn({ windowed }: Version, { space, windowed: more }: Indexed): Partial<Version> {
  return more == null || more === 0 ? {} : { windowed: { ...windowed, [space]: (windowed[space] ?? 0) + more } };
}
