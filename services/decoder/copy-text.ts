import type { DecodedSummary } from '../domain/decoded-text.js';
import { blobKeys } from '../ports/blob-store/keys.js';
import type { BlobStore } from '../ports/blob-store/port.js';
import { storedSummary } from './stored-text.js';

/**
 * Gives a version the decoded text of another one, as it is, and returns its summary; undefined if that one has none
 * (any more). The text becomes visible after its blocks, so that a text that exists is whole.
 */
export async function copyText(
  blobStore: BlobStore,
  workspace: string,
  from: string,
  to: string,
): Promise<DecodedSummary | undefined> {
  for (const key of [blobKeys.blocks, blobKeys.text]) {
    const source = await blobStore.getStream(key(workspace, from));
    if (source === undefined) return undefined;
    await blobStore.putStream(key(workspace, to), source);
  }
  return storedSummary(blobStore, workspace, to);
}
