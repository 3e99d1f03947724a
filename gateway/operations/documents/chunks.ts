import { SluiceError } from '../../../services/domain/errors.js';
import { chunkId, packOf, packSize, parseChunkId } from '../../../services/domain/identity.js';
import type { Chunk as StoredChunk } from '../../../services/domain/text.js';
import { readPack } from '../../../services/ports/blob-store/packs.js';
import type { VersionRecord } from '../../../services/ports/catalog/port.js';
import type { Chunk, ChunkPage } from '../../client/types.js';
import type { Call, GatewayContext } from '../context.js';
import { visible } from '../../access/visible.js';
import { requireDocument, type DocumentReference } from './read.js';

const readable: ReadonlySet<string> = new Set(['processing', 'ready', 'failed', 'superseded']);

/** One chunk by its id. A superseded version's chunks can be read until they are purged. Throws chunk-not-found. */
export async function getChunk(
  { ports }: GatewayContext,
  { caller }: Call,
  request: { readonly chunk_id: string },
): Promise<Chunk> {
  const parsed = parseChunkId(request.chunk_id);
  const version = parsed && (await ports.catalog.versions([parsed.versionHash])).get(parsed.versionHash);
  if (parsed === undefined || version === undefined) throw chunkNotFound(request.chunk_id);
  const foreign = version.workspace !== caller.workspace || !visible(caller, version);
  if (foreign || !readable.has(version.state) || version.purgeBegun) throw chunkNotFound(request.chunk_id);
  const pack = await readPack(ports.blobStore, caller.workspace, parsed.versionHash, packOf(parsed.seq));
  const chunk = pack?.chunks[parsed.seq % packSize];
  if (chunk === undefined) throw chunkNotFound(request.chunk_id);
  return chunkView(version, chunk);
}

/** The chunks of a document's live version (else the newest), a pack a page. Throws document-not-found. */
export async function listChunks(
  context: GatewayContext,
  call: Call,
  request: DocumentReference & { readonly after?: string },
): Promise<ChunkPage> {
  const document = await requireDocument(context, call, request);
  const version = document.live ?? document.newest;
  const number = Number(request.after ?? 0);
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new SluiceError('invalid-argument', `after=${request.after ?? ''} is not a page that a listing gave`);
  }
  if (version === null) return { chunks: [], next: null };
  const pack = await readPack(context.ports.blobStore, call.caller.workspace, version.versionHash, number);
  const chunks = (pack?.chunks ?? []).map((chunk) => chunkView(version, chunk));
  const more = version.packs === null ? chunks.length === packSize : number + 1 < version.packs;
  return { chunks, next: more ? String(number + 1) : null };
}

const chunkView = (version: VersionRecord, chunk: StoredChunk): Chunk => ({
  chunk_id: chunkId(version.versionHash, chunk.seq),
  document_id: version.documentId,
  collection: version.collection,
  version: version.version,
  seq: chunk.seq,
  source: version.source ?? version.documentId,
  title: version.title,
  heading_path: [...chunk.headingPath],
  start: chunk.start,
  end: chunk.end,
  page: chunk.page ?? null,
  text: chunk.text,
  lead: chunk.lead ?? null,
});

const chunkNotFound = (id: string): SluiceError =>
  new SluiceError('chunk-not-found', `there is no chunk "${id}" in the caller's workspace`);
