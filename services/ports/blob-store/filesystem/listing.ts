import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { BlobInfo } from '../port.js';
import { isAbsent } from './failures.js';
import type { Folders } from './folders.js';
import { bytesOfName, isContinuation, namesOfKey } from './path-names.js';

const statsAtOnce = 32;

/** Keys here are latin1 strings of their bytes, whose order is byte order. */
interface Entry {
  readonly key: string;
  readonly path: string;
  readonly isFolder: boolean;
}

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

async function entriesOf(folder: string, before: string): Promise<Entry[]> {
  const dirents = await readdir(folder, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
    if (isAbsent(error)) return [];
    throw error;
  });
  const entries = dirents.flatMap((dirent): Entry[] => {
    const bytes = bytesOfName(dirent.name);
    if (bytes === undefined || !(dirent.isFile() || dirent.isDirectory())) return [];
    const slash = dirent.isDirectory() && !isContinuation(dirent.name) ? '/' : '';
    return [{ key: before + bytes + slash, path: path.join(folder, dirent.name), isFolder: dirent.isDirectory() }];
  });
  return entries.sort((a, b) => (a.key < b.key ? -1 : 1));
}

async function* filesBelow(folder: string, before: string, prefix: string): AsyncGenerator<Entry> {
  for (const entry of await entriesOf(folder, before)) {
    const inside = entry.key.startsWith(prefix);
    if (!entry.isFolder && inside) yield entry;
    else if (entry.isFolder && (inside || prefix.startsWith(entry.key))) {
      yield* filesBelow(entry.path, entry.key, prefix);
    }
  }
}

async function infoOf(entry: Entry): Promise<BlobInfo | undefined> {
  try {
    const { size, mtime } = await lstat(entry.path);
    return { key: utf8(entry.key), sizeBytes: size, modifiedAt: mtime };
  } catch (error) {
    if (isAbsent(error)) return undefined; // deleted since its folder was read
    throw error;
  }
}

/** The blobs of a store whose key starts with `prefix`, in byte order. Symbolic links are passed over. */
export async function* listBlobs(folders: Folders, prefix: string): AsyncGenerator<BlobInfo> {
  const slash = prefix.lastIndexOf('/');
  const start = slash < 0 ? folders.root : path.join(folders.root, ...namesOfKey(prefix.slice(0, slash)));
  const bytes = Buffer.from(prefix, 'utf8').toString('latin1');
  const before = bytes.slice(0, bytes.lastIndexOf('/') + 1);
  try {
    await folders.check(start);
  } catch (error) {
    if (isAbsent(error)) return;
    throw error;
  }
  let waiting: Entry[] = [];
  const infos = async function* (): AsyncGenerator<BlobInfo> {
    for (const info of await Promise.all(waiting.map(infoOf))) if (info !== undefined) yield info;
    waiting = [];
  };
  for await (const entry of filesBelow(start, before, bytes)) {
    if (waiting.push(entry) === statsAtOnce) yield* infos();
  }
  yield* infos();
}
