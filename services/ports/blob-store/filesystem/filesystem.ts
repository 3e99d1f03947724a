import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { SluiceError } from '../../../domain/errors.js';
import { abortable } from '../abortable.js';
import type { BlobInfo, BlobStore } from '../port.js';
import { hasCode, isAbsent, storeFailure } from './failures.js';
import { Folders } from './folders.js';
import { listBlobs } from './listing.js';
import { namesOfKey } from './path-names.js';

const incomingName = '.incoming'; // no key is encoded to a name that starts with a dot
const deletesAtOnce = 16;
const placeAttempts = 5;

/**
 * Blobs as files below `folder`, which one process owns: made under a temporary name, flushed, then renamed, then
 * their folder flushed. What a killed process left unfinished is removed when the store is next opened.
 */
export async function createFilesystemBlobStore(options: { readonly folder: string }): Promise<BlobStore> {
  try {
    await mkdir(options.folder, { recursive: true });
    const root = await realpath(options.folder);
    const incoming = path.join(root, incomingName);
    const folders = new Folders(root);
    await folders.ensure(incoming);
    for (const name of await readdir(incoming)) await rm(path.join(incoming, name), { recursive: true, force: true });
    return new FilesystemBlobStore(root, incoming, folders);
  } catch (error) {
    throw storeFailure(error, 'opening the blob store', options.folder);
  }
}

class FilesystemBlobStore implements BlobStore {
  constructor(
    readonly root: string,
    readonly incoming: string,
    readonly folders: Folders,
  ) {}

  async put(key: string, bytes: Buffer): Promise<void> {
    const target = this.#pathOf(key);
    await this.#write(key, target, (handle) => this.#doing(`writing blob ${key}`, () => handle.writeFile(bytes)));
  }

  async putStream(key: string, source: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<{ sizeBytes: number }> {
    const target = this.#pathOf(key);
    let sizeBytes = 0;
    await this.#write(key, target, async (handle) => {
      for await (const bytes of abortable(source, signal)) {
        await this.#doing(`writing blob ${key}`, () => handle.writeFile(bytes));
        sizeBytes += bytes.length;
      }
    });
    return { sizeBytes };
  }

  async get(key: string): Promise<Buffer | undefined> {
    const opened = await this.#open(key);
    if (opened === undefined) return undefined;
    const { handle, sizeBytes } = opened;
    try {
      return await this.#doing(`reading blob ${key}`, async () => {
        // A blob never changes its size under its name: mostly one read, where readFile needs three calls.
        const bytes = Buffer.allocUnsafeSlow(sizeBytes);
        let filled = 0;
        for (let read = 1; filled < sizeBytes && read > 0; filled += read) {
          read = (await handle.read(bytes, filled, sizeBytes - filled, filled)).bytesRead;
        }
        return bytes.subarray(0, filled);
      });
    } finally {
      await handle.close();
    }
  }

  async getStream(key: string, range?: { start: number; end: number }): Promise<Readable | undefined> {
    const { start, end } = range ?? { start: 0, end: Infinity };
    if (!(start >= 0 && end >= start)) {
      throw new SluiceError('invalid-argument', `blob ${key} has no range from ${start} to ${end}`);
    }
    const handle = (await this.#open(key))?.handle;
    if (handle !== undefined && end > start) return handle.createReadStream({ start, end: end - 1 });
    await handle?.close();
    return handle && Readable.from([]);
  }

  async head(key: string): Promise<BlobInfo | undefined> {
    const file = this.#pathOf(key);
    return await this.#doing(`looking for blob ${key}`, async () => {
      const found = await this.#present(async () => {
        await this.folders.check(path.dirname(file));
        return await lstat(file);
      });
      return found?.isFile() ? { key, sizeBytes: found.size, modifiedAt: found.mtime } : undefined;
    });
  }

  async *list(prefix: string): AsyncGenerator<BlobInfo> {
    try {
      yield* listBlobs(this.folders, prefix);
    } catch (error) {
      throw storeFailure(error, `listing blobs under "${prefix}"`, this.root);
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    const files = [...new Set(keys.map((key) => this.#pathOf(key)))].values();
    const touched = new Set<string>();
    const work = async (): Promise<void> => {
      for (const file of files) {
        const folder = path.dirname(file);
        const removed = await this.#present(async () => {
          await this.folders.check(folder);
          await unlink(file);
          return true;
        });
        if (removed) touched.add(folder);
      }
    };
    await this.#doing('deleting blobs', async () => {
      await Promise.all(Array.from({ length: deletesAtOnce }, work));
      const left = new Set<string>();
      for (const folder of touched) left.add(await this.folders.prune(folder));
      await Promise.all([...left].map((folder) => this.folders.flush(folder)));
    });
  }

  /** What a dead process left unfinished went when the store was opened. */
  abortUploads(): Promise<number> {
    return Promise.resolve(0);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #pathOf(key: string): string {
    return path.join(this.root, ...namesOfKey(key));
  }

  /** Writes a temporary file durably and gives it its name; whatever fails, the temporary file goes. */
  async #write(key: string, target: string, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
    const temporary = path.join(this.incoming, randomUUID());
    const doing = `writing blob ${key}`;
    try {
      const handle = await this.#doing(doing, () => open(temporary, 'wx'));
      try {
        await fill(handle);
        await this.#doing(doing, () => handle.datasync());
      } finally {
        await handle.close();
      }
      await this.#doing(doing, () => this.#place(key, temporary, target));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async #place(key: string, temporary: string, target: string, attempt = 1): Promise<void> {
    const folder = path.dirname(target);
    try {
      await this.folders.ensure(folder);
      await rename(temporary, target);
    } catch (error) {
      // A delete may have removed the empty folder in between.
      if (hasCode(error, 'ENOENT') && attempt < placeAttempts) {
        this.folders.forget(folder);
        return this.#place(key, temporary, target, attempt + 1);
      }
      if (!hasCode(error, 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY')) throw error;
      throw new SluiceError('invalid-argument', `blob key ${key} is a folder of another blob, or lies below one`, {
        cause: error,
      });
    }
    await this.folders.flush(folder);
  }

  async #open(key: string): Promise<{ readonly handle: FileHandle; readonly sizeBytes: number } | undefined> {
    const file = this.#pathOf(key);
    return await this.#doing(`reading blob ${key}`, () =>
      this.#present(async () => {
        await this.folders.check(path.dirname(file));
        const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
        const found = await handle.stat();
        if (found.isFile()) return { handle, sizeBytes: found.size };
        await handle.close();
        return undefined;
      }),
    );
  }

  async #present<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async #doing<T>(what: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw storeFailure(error, what, this.root);
    }
  }
}
