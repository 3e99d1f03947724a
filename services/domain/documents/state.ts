import type { Attributes } from '../attributes.js';
import type { ChunkerSpec } from '../chunker-spec.js';
import type { Behind } from '../collections/conversion.js';
import type { DocumentKey } from '../identity.js';
import type { PackSet } from './pack-set.js';

/** `superseded` and `deleting` are final, and only they are purged. */
export type VersionState = 'pending' | 'processing' | 'ready' | 'failed' | 'superseded' | 'deleting';

/** Everything that decisions about one version rest on. Times are epoch milliseconds of the catalog's clock. */
export interface Version {
  readonly version: number;
  readonly versionHash: string;
  readonly state: VersionState;
  /** Its points are being removed: nobody may count on what is left of it. */
  readonly purgeBegun: boolean;
  readonly uploadId: string;
  readonly contentHash: string;
  readonly sizeBytes: number;
  /** What the caller said it is, and what the decoder found. */
  readonly givenType: string | null;
  readonly decodedType: string | null;
  readonly givenTitle: string | null;
  readonly decodedTitle: string | null;
  readonly source: string | null;
  readonly tags: readonly string[];
  readonly givenAttributes: Attributes;
  /** From the document's own front matter; null until decoded. */
  readonly decodedAttributes: Attributes | null;
  /** Raised whenever the attributes (given over decoded) change; 1 at first. */
  readonly attributeRevision: number;
  /** A pack was written under an older revision than the one that stands now. */
  readonly pointsOutdated: boolean;
  readonly fileTime: number | null;
  readonly flow: string;
  readonly textSha256: string | null;
  readonly textBytes: number | null;
  readonly packs: number | null;
  readonly chunks: number | null;
  readonly chunkerSpec: ChunkerSpec;
  /** By embedding space id. */
  readonly confirmed: Readonly<Record<string, PackSet>>;
  /** Chunks longer than the window of a space's model, by space id; none where there are none. */
  readonly windowed: Readonly<Record<string, number>>;
  /** Ready versions: why it has not come along with a conversion of its collection; null: it has. */
  readonly behind: Behind | null;
  /** How often it was driven again since it last moved on somebody's request. */
  readonly redrives: number;
  readonly stage: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  /** Those that end with this version: submits and retries while it is alive, deletions once it is not. */
  readonly operations: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly liveSince: number | null;
  readonly supersededAt: number | null;
}

/** One document with all of its versions that are not yet purged, ascending. */
export interface DocumentState {
  readonly key: DocumentKey;
  /** Raised at each change. */
  readonly seq: number;
  /** The last version number given; it outlives every deletion. 0: the document never was. */
  readonly lastVersion: number;
  readonly versions: readonly Version[];
}

/** What decisions need to know of the document's collection; undefined where there is none. */
export interface CollectionFacts {
  readonly state: 'active' | 'deleting';
  /** New work waits until the collection is resumed; what is under way goes on. */
  readonly paused: boolean;
  /** Null: read-only. */
  readonly chunkerSpec: ChunkerSpec | null;
  /** Ids of the spaces in which a version must be confirmed: the collection's own, then a reindex's target. */
  readonly spaces: readonly string[];
  /** Ids of those in which points may still stand although nothing is written there any more. */
  readonly retiredSpaces?: readonly string[];
}

export const newDocument = (key: DocumentKey): DocumentState => ({ key, seq: 0, lastVersion: 0, versions: [] });

/** States in which a version may still become ready. */
export const inFlight = (version: Version): boolean => version.state === 'pending' || version.state === 'processing';

export const liveVersion = (state: DocumentState): Version | undefined =>
  state.versions.find((version) => version.state === 'ready');

/** The newest version that is not being deleted. */
export const newestVersion = (state: DocumentState): Version | undefined =>
  state.versions.findLast((version) => version.state !== 'deleting');

export const attributesOf = (version: Version): Attributes => ({
  ...version.decodedAttributes,
  ...version.givenAttributes,
});

/** The hash of another version that was made of the same upload and has its decoded text, a live one if there is. */
export function textOrigin(state: DocumentState, version: Version): string | null {
  const decoded = state.versions.filter(
    (other) =>
      other.version !== version.version &&
      other.uploadId === version.uploadId &&
      other.textSha256 !== null &&
      !other.purgeBegun,
  );
  return (decoded.find(({ state: its }) => its === 'ready') ?? decoded.at(-1))?.versionHash ?? null;
}
