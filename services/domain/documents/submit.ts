import { sameSpec, type ChunkerSpec } from '../chunker-spec.js';
import { versionHash } from '../identity.js';
import type { CommandOf, Submit } from './command.js';
import type { Draft } from './draft.js';
import { takeMetadata } from './metadata.js';
import { driveAgain } from './recovery.js';
import { inFlight, newestVersion, type CollectionFacts, type Version } from './state.js';

/** Decides an upsert against the newest version: a new one, a change of its metadata, a retry of it, or nothing. */
export function submit(draft: Draft, command: Submit, collection: CollectionFacts | undefined): void {
  const refusal = refusalOf(draft, collection);
  if (refusal !== undefined || collection?.chunkerSpec == null) {
    draft.effect({ kind: 'drop-upload', uploadId: command.uploadId });
    draft.outcome(command.operation, 'refused', refusal);
    return;
  }
  const newest = newestVersion(draft.state);
  if (newest === undefined || command.force || differs(newest, command, collection.chunkerSpec)) {
    addVersion(draft, command, collection.chunkerSpec, collection.paused);
    return;
  }
  draft.effect({ kind: 'drop-upload', uploadId: command.uploadId });
  const { version, changed } = takeMetadata(draft, newest, command);
  if (version.state === 'ready') {
    draft.outcome(command.operation, changed ? 'ready' : 'unchanged', {
      version: version.version,
      chunkCount: version.chunks,
      unchanged: !changed,
    });
    return;
  }
  // The operation joins those that wait for this version.
  const joined = draft.change(version, { operations: [...version.operations, command.operation] });
  draft.outcome(command.operation, 'accepted', { version: joined.version });
  if (joined.state === 'failed') driveAgain(draft, joined, collection);
}

/** A submit that the librarian could not handle: its operation must not wait for ever. */
export function submitFailed(draft: Draft, command: CommandOf<'submit-failed'>): void {
  if (command.uploadId !== null) draft.effect({ kind: 'drop-upload', uploadId: command.uploadId });
  draft.outcome(command.operation, 'failed', { code: command.code, reason: command.reason });
}

function refusalOf(
  draft: Draft,
  collection: CollectionFacts | undefined,
): { readonly code: string; readonly reason: string } | undefined {
  const name = `collection "${draft.state.key.collection}"`;
  if (collection === undefined) {
    return { code: 'collection-not-found', reason: `${name} does not exist: create it, then submit again` };
  }
  if (collection.state === 'deleting') {
    return { code: 'collection-deleting', reason: `${name} is being deleted: wait until it is gone, create it again` };
  }
  if (collection.chunkerSpec === null) {
    return { code: 'collection-read-only', reason: `${name} has no chunker spec, so nothing can be put into it` };
  }
  return undefined;
}

/** Whether the submit asks for other work than what made `newest`: other bytes, another format, or another spec. */
function differs(newest: Version, command: Submit, spec: ChunkerSpec): boolean {
  const type = command.contentType;
  const otherType = type !== null && type !== newest.givenType && type !== newest.decodedType;
  return newest.contentHash !== command.contentHash || otherType || !sameSpec(newest.chunkerSpec, spec);
}

function addVersion(draft: Draft, command: Submit, chunkerSpec: ChunkerSpec, paused: boolean): void {
  for (const older of draft.state.versions) {
    if (!inFlight(older) && older.state !== 'failed') continue;
    const ended = draft.endOperations(older, 'stale', {
      code: 'ingest-interrupted',
      reason: `version ${older.version} was replaced by a newer one before it was ready`,
    });
    draft.change(ended, { state: 'superseded', supersededAt: draft.now });
  }
  const number = draft.state.lastVersion + 1;
  const version: Version = {
    version: number,
    versionHash: versionHash(draft.state.key, number),
    state: 'pending',
    purgeBegun: false,
    uploadId: command.uploadId,
    contentHash: command.contentHash,
    sizeBytes: command.sizeBytes,
    givenType: command.contentType,
    decodedType: null,
    givenTitle: command.title,
    decodedTitle: null,
    source: command.source,
    tags: command.tags,
    givenAttributes: command.attributes,
    decodedAttributes: null,
    attributeRevision: 1,
    pointsOutdated: false,
    fileTime: command.fileTime,
    flow: command.flow,
    textSha256: null,
    textBytes: null,
    packs: null,
    chunks: null,
    chunkerSpec,
    confirmed: {},
    windowed: {},
    behind: null,
    redrives: 0,
    stage: null,
    code: null,
    reason: null,
    operations: [command.operation],
    createdAt: draft.now,
    updatedAt: draft.now,
    liveSince: null,
    supersededAt: null,
  };
  draft.append(version);
  if (!paused) draft.effect({ kind: 'decode', version, textOf: null });
  draft.outcome(command.operation, 'accepted', { version: number });
}
