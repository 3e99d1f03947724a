import { mkdir, open, realpath, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { SluiceError } from '../../../domain/errors.js';
import { hasCode } from './failures.js';

interface Flush {
  readonly running: Promise<void>;
  next?: Promise<void>;
}

/** So many folders are remembered as checked; then the memory starts anew. */
const maxChecked = 10_000;

/** The folders of a store: made durably, never reached through a symbolic link, and flushed together. */
export class Folders {
  readonly #checked = new Set<string>();
  readonly #flushes = new Map<string, Flush>();
  readonly #making = new Map<string, Promise<void>>();

  /** `root` is a real path. */
  constructor(readonly root: string) {}

  /**
   * Throws ENOENT where `folder` does not exist, and `unavailable` where a symbolic link leads away from it. Looks once:
   * the process owns the folders, and what is found gone is to be forgotten.
   */
  async check(folder: string): Promise<void> {
    if (this.#checked.has(folder)) return;
    const real = await realpath(folder);
    if (real === folder) {
      if (this.#checked.size >= maxChecked) this.#checked.clear();
      this.#checked.add(folder);
      return;
    }
    throw new SluiceError('unavailable', `${folder} is reached through a symbolic link to ${real}: remove the link`);
  }

  forget(folder: string): void {
    for (let each = folder; each !== this.root; each = path.dirname(each)) this.#checked.delete(each);
  }

  /** Makes `folder` and the folders above it, each one's entry durable before anything is put into it. */
  async ensure(folder: string): Promise<void> {
    try {
      await this.check(folder);
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || folder === this.root) throw error;
      if (!this.#making.has(folder)) {
        const making = this.#make(folder).finally(() => this.#making.delete(folder));
        this.#making.set(folder, making);
      }
    }
    await this.#making.get(folder); // it may be there, but not yet durably
  }

  /** Makes the entries of `folder` durable; calls that arrive while one flush runs share the next. */
  flush(folder: string): Promise<void> {
    const current = this.#flushes.get(folder);
    if (current === undefined) return this.#start(folder);
    current.next ??= current.running.catch(() => undefined).then(() => this.#start(folder));
    return current.next;
  }

  /** Removes `folder` and those above it while they are empty. Returns the one that stays, its entries to be flushed. */
  async prune(folder: string): Promise<string> {
    if (folder === this.root) return folder;
    this.#checked.delete(folder);
    try {
      await rmdir(folder);
    } catch (error) {
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return folder;
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    return await this.prune(path.dirname(folder));
  }

  #start(folder: string): Promise<void> {
    const running = this.#sync(folder).finally(() => {
      if (this.#flushes.get(folder)?.running === running) this.#flushes.delete(folder);
    });
    this.#flushes.set(folder, { running });
    return running;
  }

  async #make(folder: string): Promise<void> {
    const parent = path.dirname(folder);
    await this.ensure(parent);
    await mkdir(folder).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
    await this.flush(parent);
    await this.check(folder);
  }

  async #sync(folder: string): Promise<void> {
    const handle = await open(folder, 'r').catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT') || folder === this.root) throw error;
      return undefined;
    });
    if (handle === undefined) {
      await this.#sync(path.dirname(folder)); // pruned meanwhile
      return;
    }
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
