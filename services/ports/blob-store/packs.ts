import type { Chunk, Pack } from '../../domain/text.js';
import { packOf, packSize } from '../../domain/identity.js';
import { SluiceError } from '../../domain/errors.js';
import { mapConcurrently } from './map-concurrently.js';
import { packCacheOf } from './pack-cache.js';
import { blobKeys } from './keys.js';
import type { BlobStore } from './port.js';

/** Writes one pack. Packs are written once: the same version and spec make the same bytes again. */
export async function writePack(
  blobStore: BlobStore,
  workspace: string,
  versionHash: string,
  pack: number,
  content: Pack,
): Promise<void> {
  await blobStore.put(blobKeys.pack(workspace, versionHash, pack), Buffer.from(JSON.stringify(content)));
}

/** One pack, or undefined when there is none. Throws invalid-response for a blob that is not a pack. */
export async function readPack(
  blobStore: BlobStore,
  workspace: string,
  versionHash: string,
  pack: number,
): Promise<Pack | undefined> {
  const key = blobKeys.pack(workspace, versionHash, pack);
  const bytes = await blobStore.get(key);
  return bytes === undefined ? undefined : parsePack(key, bytes);
}

function parsePack(key: string, bytes: Buffer): Pack {
  try {
    const pack = JSON.parse(bytes.toString('utf8')) as Pack;
    if (typeof pack.textSha256 === 'string' && Array.isArray(pack.chunks)) return pack;
  } catch {
    // reported below, like any other content that is not a pack
  }
  throw new SluiceError('invalid-response', `blob ${key} is not a pack of chunks: reindex its document`);
}

/** What a hit needs to name for its text to be found. */
export interface ChunkReference {
  readonly version_hash: string;
  readonly seq: number;
}

/** A hit's text and where it stands in the decoded text. */
export interface HydratedText {
  /** False: the text is missing (an orphan, or a version that was purged meanwhile); the rest is then empty. */
  readonly hydrated: boolean;
  /** The decoded text from start to end. */
  readonly text: string;
  /** What is repeated from elsewhere before the text (a table's header). */
  readonly lead: string | null;
  readonly heading_path: readonly string[];
  /** Code points into the decoded text. */
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
}

const concurrentGets = 8;

/**
 * Adds their texts to hits, in order: one get per pack, at most eight at a time, recently read packs from memory.
 * A missing text is reported by `hydrated`, never hidden. Throws unavailable when the store does not answer.
 */
export async function hydrate<H extends ChunkReference>(
  blobStore: BlobStore,
  workspace: string,
  hits: readonly H[],
): Promise<readonly (H & HydratedText)[]> {
  const wanted = new Map<string, { readonly versionHash: string; readonly pack: number }>();
  for (const { version_hash: versionHash, seq } of hits) {
    if (versionHash !== '') wanted.set(`${versionHash}/${packOf(seq)}`, { versionHash, pack: packOf(seq) });
  }
  const packs = new Map(
    await mapConcurrently([...wanted], concurrentGets, async ([id, { versionHash, pack }]) => {
      return [id, await cachedPack(blobStore, workspace, versionHash, pack)] as const;
    }),
  );
  return hits.map((hit) => {
    const pack = packs.get(`${hit.version_hash}/${packOf(hit.seq)}`);
    return { ...hit, ...describe(pack?.chunks[hit.seq % packSize]) };
  });
}

async function cachedPack(
  blobStore: BlobStore,
  workspace: string,
  versionHash: string,
  pack: number,
): Promise<Pack | undefined> {
  const cache = packCacheOf(blobStore);
  const key = blobKeys.pack(workspace, versionHash, pack);
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const bytes = await blobStore.get(key);
  if (bytes === undefined) return undefined;
  const parsed = parsePack(key, bytes);
  cache.set(key, parsed, bytes.length);
  return parsed;
}

const describe = (chunk: Chunk | undefined): HydratedText => ({
  hydrated: chunk !== undefined,
  text: chunk?.text ?? '',
  lead: chunk?.lead ?? null,
  heading_path: chunk?.headingPath ?? [],
  start: chunk?.start ?? 0,
  end: chunk?.end ?? 0,
  page: chunk?.page ?? null,
});
