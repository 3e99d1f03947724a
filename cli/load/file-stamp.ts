import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** What the file system says of a file without reading it. */
export interface FileStamp {
  readonly sizeBytes: number;
  readonly modified: Date;
  /** Equal only while size, modification, change and inode are: a change time cannot be set back by programs. */
  readonly fingerprint: string;
  /** False within two seconds of the last change: a coarse clock could give the next change the same times. */
  readonly settled: boolean;
}

const clockGranularityMs = 2_000;

export async function stampOf(path: string, now: () => number = Date.now): Promise<FileStamp> {
  const info = await stat(path, { bigint: true });
  if (!info.isFile()) throw new Error('it is not a file');
  const changedMs = Number(info.mtimeMs > info.ctimeMs ? info.mtimeMs : info.ctimeMs);
  return {
    sizeBytes: Number(info.size),
    modified: new Date(Number(info.mtimeMs)),
    fingerprint: [info.size, info.mtimeNs, info.ctimeNs, info.ino].join(':'),
    settled: now() - changedMs > clockGranularityMs,
  };
}

/** Lowercase hex sha256 of a file, read in pieces. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { signal })) hash.update(piece as Buffer);
  return hash.digest('hex');
}
