import { documentKeyString, type DocumentKey } from '../domain/identity.js';
import type { Catalog, VersionRecord } from '../ports/catalog/port.js';
import type { Candidate } from './candidate.js';

/** A candidate that counts. Points that were imported without a document have no version. */
export interface LiveCandidate extends Candidate {
  readonly version: VersionRecord | undefined;
}

/**
 * Which version of each document a search sees: the one that was live at its t0. Decided once per document and
 * remembered, so that a swap in the middle of a search never shows two versions.
 */
export class Liveness {
  readonly #decided = new Map<string, VersionRecord | undefined>();

  constructor(
    private readonly catalog: Pick<Catalog, 'liveAt'>,
    readonly t0: Date,
  ) {}

  /** Asks the catalog about the documents of these candidates that it was not asked about before. */
  async decide(candidates: readonly Candidate[]): Promise<void> {
    const unknown = new Map<string, DocumentKey>();
    for (const { workspace, collection, documentId, versionHash } of candidates) {
      const key = { workspace, collection, documentId };
      const id = documentKeyString(key);
      if (versionHash !== undefined && !this.#decided.has(id)) unknown.set(id, key);
    }
    if (unknown.size === 0) return;
    const live = await this.catalog.liveAt([...unknown.values()], this.t0);
    for (const id of unknown.keys()) this.#decided.set(id, live.get(id));
  }

  /** The decided candidates that count, in order. */
  living(candidates: readonly Candidate[]): readonly LiveCandidate[] {
    return candidates.flatMap((candidate): LiveCandidate[] => {
      if (candidate.versionHash === undefined) return [{ ...candidate, version: undefined }];
      const version = this.#decided.get(documentKeyString(candidate));
      return version?.versionHash === candidate.versionHash ? [{ ...candidate, version }] : [];
    });
  }
}
