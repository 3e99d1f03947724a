import { statfsSync } from 'node:fs';
import { SluiceError } from '../../../domain/errors.js';

/** Starting writes a checkpoint and may extend the log by a segment: with less space left, the disk is what failed it. */
const nearlyFullBytes = 32 * 1024 * 1024;

/**
 * What a PostgreSQL that does not start means: it stops its program without a reason, both for damaged files
 * (configuration-invalid) and for a full disk (storage-full).
 */
export function openFailure(folder: string, cause: unknown): SluiceError {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free < nearlyFullBytes) {
    return new SluiceError(
      'storage-full',
      `no space is left to open the catalog in ${folder} (${free} bytes free): free some; nothing that was accepted is lost`,
      { cause },
    );
  }
  return new SluiceError(
    'configuration-invalid',
    `the catalog in ${folder} cannot be opened, its files are damaged: restore the whole data folder from a backup, ` +
      'or move it away to start with an empty one and load the documents again',
    { cause },
  );
}
