import { createHash } from 'node:crypto';
import { compareBytes } from '../identity.js';

export interface SnapshotEntry {
  readonly uri: string;
  /** Lowercase hex sha256 of the document's raw bytes. */
  readonly contentHash: string;
}

/**
 * What a collection holds, in one hash: sha256 over the documents, sorted by URI in byte order, of URI NUL content hash
 * NUL. Neither embedding space nor chunker spec enter it.
 */
export function snapshot(documents: Iterable<SnapshotEntry>): string {
  const sorted = [...documents].sort(
    (a, b) => compareBytes(a.uri, b.uri) || compareBytes(a.contentHash, b.contentHash),
  );
  const hash = new SortedSnapshot();
  for (const entry of sorted) hash.add(entry);
  return hash.digest();
}

/** The same, for documents that come sorted: so that a large collection need not stand in memory. */
export class SortedSnapshot {
  readonly #hash = createHash('sha256');

  add({ uri, contentHash }: SnapshotEntry): void {
    this.#hash.update(uri).update('\0').update(contentHash).update('\0');
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}
