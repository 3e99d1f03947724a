import type { Pack } from '../../domain/text.js';
import type { BlobStore } from './port.js';

const maxCachedBytes = 32 * 1024 * 1024;

/** The packs read last, up to 32 MiB of their bytes. Packs never change, so nothing is ever out of date. */
class PackCache {
  readonly #packs = new Map<string, { readonly pack: Pack; readonly bytes: number }>();
  #bytes = 0;

  get(key: string): Pack | undefined {
    const entry = this.#packs.get(key);
    if (entry === undefined) return undefined;
    this.#packs.delete(key);
    this.#packs.set(key, entry); // a Map keeps insertion order: the oldest use comes first
    return entry.pack;
  }

  set(key: string, pack: Pack, bytes: number): void {
    if (this.#packs.has(key) || bytes > maxCachedBytes) return;
    this.#packs.set(key, { pack, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#packs) {
      if (this.#bytes <= maxCachedBytes) return;
      this.#packs.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }
}

const caches = new WeakMap<BlobStore, PackCache>();

/** The cache that lives as long as this store does. */
export function packCacheOf(blobStore: BlobStore): PackCache {
  const cache = caches.get(blobStore) ?? new PackCache();
  caches.set(blobStore, cache);
  return cache;
}
