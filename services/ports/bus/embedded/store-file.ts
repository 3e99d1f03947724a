import { existsSync, openSync, readSync, closeSync, fstatSync, statfsSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { SluiceError } from '../../../domain/errors.js';

const metaPageBytes = 4096;
const magic = 0xbeefc0de;
/** A commit may be that large: with less space than this left, the disk is what failed it. */
const nearlyFullBytes = 64 * 1024 * 1024;

const errorNumber = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** The error for a folder whose files are not what this bus wrote. */
export const corrupted = (folder: string, why: string, cause?: unknown): SluiceError =>
  new SluiceError(
    'configuration-invalid',
    `the message store in ${folder} cannot be read (${why}): restore the folder from a backup, or move it away ` +
      'to start with an empty one and load the documents again',
    { cause },
  );

/**
 * Looks at a store's file before it is mapped into memory: reading past the end of a truncated file would kill the
 * process. A file `short` of what its header claims is extended by zeros, which read as an error instead. Throws
 * configuration-invalid for a file that is no store.
 */
export function inspectStoreFile(folder: string): 'new' | 'whole' | 'short' {
  const file = join(folder, 'data.mdb');
  if (!existsSync(file)) return 'new';
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    if (size === 0) return 'new';
    const page = Buffer.alloc(metaPageBytes);
    const read = readSync(descriptor, page, 0, metaPageBytes, 0);
    if (read < 0x98 || page.readUInt32LE(0x18) !== magic) throw corrupted(folder, 'its header is damaged');
    const expected = (page.readUIntLE(0x90, 6) + 1) * page.readUInt32LE(0x30);
    if (expected <= size) return 'whole';
    // Only ever longer: looked at again, in case someone else has just begun to write.
    if (fstatSync(descriptor).size < expected) truncateSync(file, expected);
    return 'short';
  } finally {
    closeSync(descriptor);
  }
}

/** What a failed commit means: storage-full when the disk is, else unavailable. */
export function writeFailure(folder: string, error: unknown): SluiceError {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const code = errorNumber(error);
  if (code === 28 || code === 27 || free < nearlyFullBytes) {
    return new SluiceError(
      'storage-full',
      `no space is left for messages in ${folder} (${free} bytes free): free some; nothing that was accepted is lost`,
      { cause: error },
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new SluiceError('unavailable', `writing messages to ${folder} failed: ${reason}; check the disk`, {
    cause: error,
  });
}
