import type { Logger } from 'pino';
import type { BlobStore } from '../ports/blob-store/port.js';
import { blobKeys } from '../ports/blob-store/keys.js';
import { uploadKey, type LibrarianStore } from '../ports/catalog/librarian-store.js';
import type { Catalog, VersionRecord } from '../ports/catalog/port.js';
import { purgedVersion, type BatchItem } from './batch-item.js';
import type { Upload } from './fold.js';

interface BlobPorts {
  readonly blobStore: BlobStore;
  readonly catalog: Catalog;
  readonly librarianStore: LibrarianStore;
}

const deleteAtOnce = 1_000;

/**
 * Removes every blob of the versions whose points are gone. Before their rows go: a version whose blobs could not be
 * removed keeps its row, and its command fails alone and is tried again.
 */
export async function removePurgedBlobs(items: readonly BatchItem[], ports: BlobPorts): Promise<void> {
  const purged = items.flatMap((item) => {
    const hash = purgedVersion(item);
    return hash === undefined ? [] : [{ item, hash }];
  });
  const hashes = purged.map(({ hash }) => hash);
  if (hashes.length === 0) return;
  const versions = await ports.catalog.versions(hashes);
  const dead = [...versions.values()].filter((version) => version.purgeBegun);
  const uploads = dead.map(({ workspace, uploadId }) => ({ workspace, uploadId }));
  const referenced = await ports.librarianStore.referencedUploads(uploads, hashes);
  for (const { item, hash } of purged) {
    const version = dead.find((each) => each.versionHash === hash);
    if (version === undefined) continue;
    try {
      const keepSource = referenced.has(uploadKey(version.workspace, version.uploadId));
      await removeVersion(version, keepSource, ports.blobStore);
    } catch (error) {
      item.error = error;
    }
  }
}

async function removeVersion(version: VersionRecord, keepSource: boolean, blobStore: BlobStore): Promise<void> {
  const { workspace, versionHash, uploadId } = version;
  let keys: string[] = [];
  for await (const { key } of blobStore.list(blobKeys.packs(workspace, versionHash))) {
    keys.push(key);
    if (keys.length < deleteAtOnce) continue;
    await blobStore.delete(keys);
    keys = [];
  }
  keys.push(blobKeys.text(workspace, versionHash), blobKeys.blocks(workspace, versionHash));
  if (!keepSource) keys.push(blobKeys.source(workspace, uploadId));
  await blobStore.delete(keys);
}

/**
 * Drops uploads that no version refers to. After the commit, and never in anybody's way: what is missed is found by the
 * sweep.
 */
export async function dropUploads(uploads: readonly Upload[], ports: BlobPorts, log: Logger): Promise<void> {
  if (uploads.length === 0) return;
  try {
    const referenced = await ports.librarianStore.referencedUploads(uploads);
    const unwanted = uploads.filter(({ workspace, uploadId }) => !referenced.has(uploadKey(workspace, uploadId)));
    await ports.blobStore.delete(unwanted.map(({ workspace, uploadId }) => blobKeys.source(workspace, uploadId)));
  } catch (error) {
    log.warn({ error, uploads: uploads.length }, 'uploads that are not needed could not be removed; a sweep will');
  }
}
