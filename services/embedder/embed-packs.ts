import type { ChunksCreated } from '../../schema/generated.js';
import { topics } from '../../schema/topics.js';
import { SluiceError } from '../domain/errors.js';
import { chunkId } from '../domain/identity.js';
import { embeddedText, type Pack } from '../domain/text.js';
import { mapConcurrently } from '../ports/blob-store/map-concurrently.js';
import { readPack } from '../ports/blob-store/packs.js';
import type { VersionRecord } from '../ports/catalog/port.js';
import type { Ports } from '../ports/ports.js';
import { crashPoint } from '../runtime/crash-points.js';
import { isAlive } from '../runtime/fence.js';
import { output, type Outcome, type Output } from '../runtime/processor.js';
import { embedTexts, type Embedded } from './embed-texts.js';

type EmbedderPorts = Pick<Ports, 'blobStore' | 'catalog' | 'embeddingModels'>;
type EmbedderOutput = Output<typeof topics.chunksEmbedded> | Output<typeof topics.documentCommands>;

/** A pack that is worth embedding, with its content and place in the list of all texts of its space. */
interface WantedPack {
  readonly message: ChunksCreated;
  readonly pack: Pack;
  readonly texts: readonly string[];
}

const concurrentReads = 16;

/**
 * Embeds packs of many documents in as few model calls as they fit in. Packs of dead versions cost nothing. One outcome
 * per message, in order; an outage of store, catalog or model throws.
 */
export async function embedPacks(
  messages: readonly ChunksCreated[],
  { blobStore, catalog, embeddingModels }: EmbedderPorts,
  signal: AbortSignal,
): Promise<readonly Outcome<EmbedderOutput>[]> {
  const versions = await catalog.versions([...new Set(messages.map((message) => message.version_hash))]);
  const read = await mapConcurrently(messages, concurrentReads, async (message) => {
    const version = versions.get(message.version_hash);
    // A space that the collection has left is worth nothing any more.
    if (!isAlive(version) || !version.spaces.some(({ id }) => id === message.space)) return undefined;
    return wantedPack(
      message,
      version,
      await readPack(blobStore, message.workspace, message.version_hash, message.pack),
    );
  });
  const vectors = new Map<WantedPack, readonly Embedded[]>();
  for (const space of new Set(messages.map((message) => message.space))) {
    const packs = read.filter(
      (item): item is WantedPack => item !== undefined && 'pack' in item && item.message.space === space,
    );
    if (packs.length === 0) continue;
    const texts = packs.flatMap((item) => item.texts);
    const embedded = await embedTexts(embeddingModels.ofSpace(space), texts, signal);
    let from = 0;
    for (const item of packs) vectors.set(item, embedded.slice(from, (from += item.texts.length)));
  }
  crashPoint('embedder.after-effect');
  return read.map((item) => {
    if (item === undefined) return { outputs: [] };
    if ('error' in item) return item;
    return outcomeOf(item, vectors.get(item) ?? []);
  });
}

function wantedPack(
  message: ChunksCreated,
  version: VersionRecord,
  pack: Pack | undefined,
): WantedPack | { readonly error: unknown } {
  const name = `pack ${message.pack} of document "${message.document_id}", version ${message.version},`;
  if (pack === undefined) {
    return { error: new SluiceError('internal', `${name} is missing in the blob store`) };
  }
  if (pack.textSha256 !== message.text_sha256) {
    return { error: new SluiceError('internal', `${name} was cut from another text than the one that was decoded`) };
  }
  const texts = pack.chunks.map((chunk) => embeddedText(chunk, version.chunkerSpec.contextPrefix));
  return { message, pack, texts };
}

function outcomeOf({ message, pack }: WantedPack, vectors: readonly Embedded[]): Outcome<EmbedderOutput> {
  const chunks: { chunk_id: string; vectors: Float32Array[] }[] = [];
  let windowed = 0;
  for (const [index, chunk] of pack.chunks.entries()) {
    const embedded = vectors[index];
    if (embedded === undefined || 'error' in embedded) return { error: embedded?.error };
    chunks.push({ chunk_id: chunkId(message.version_hash, chunk.seq), vectors: [embedded.vector] });
    if (embedded.windows > 1) windowed++;
  }
  const { workspace, collection, document_id, version, version_hash, pack: number, text_sha256, space } = message;
  const metadata = { workspace, collection, document_id, version, version_hash, pack: number, text_sha256 };
  return { outputs: [output(topics.chunksEmbedded, { metadata, space, chunks, windowed })] };
}
