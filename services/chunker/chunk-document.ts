import type { Readable } from 'node:stream';
import type { Static } from '@sinclair/typebox';
import type { DocumentDecoded } from '../../schema/generated.js';
import { topics } from '../../schema/topics.js';
import type { ChunkerSpec } from '../domain/chunker-spec.js';
import { SluiceError } from '../domain/errors.js';
import { packSize } from '../domain/identity.js';
import type { Chunk } from '../domain/text.js';
import { blobKeys } from '../ports/blob-store/keys.js';
import { writePack } from '../ports/blob-store/packs.js';
import type { BlobStore } from '../ports/blob-store/port.js';
import type { Catalog } from '../ports/catalog/port.js';
import type { Ports } from '../ports/ports.js';
import { crashPoint } from '../runtime/crash-points.js';
import { afterWrite, isAlive } from '../runtime/fence.js';
import { output, type OutputTo } from '../runtime/processor.js';
import { runInWorker, WorkerStopped } from '../runtime/workers/pool.js';
import { workerTask } from '../runtime/workers/worker-task.js';
import type { ChunkerCarry } from './chunk.js';
import type { SegmentInput, SegmentOutput } from './chunk-worker.js';
import type { chunkerConfig } from './chunker-config.js';
import { decodedSegments } from './decoded-segments.js';

const chunkSegment = workerTask<SegmentInput, SegmentOutput>(
  new URL('./chunk-worker.js', import.meta.url),
  'chunkSegment',
);

type ChunkerOutput = OutputTo<typeof topics.chunksCreated | typeof topics.documentCommands>;

interface ChunkerContext {
  readonly config: Static<typeof chunkerConfig>;
  readonly ports: Pick<Ports, 'blobStore'> & { readonly catalog: Pick<Catalog, 'versions'> };
  readonly signal: AbortSignal;
}

/**
 * Cuts a version's text by its pinned spec and yields each pack, once per embedding space, as soon as it is stored;
 * `chunked` comes last. A pack that stands already is written again: from the same text come the same bytes.
 */
export async function* chunkDocument(message: DocumentDecoded, context: ChunkerContext): AsyncGenerator<ChunkerOutput> {
  const { blobStore, catalog } = context.ports;
  const { workspace, collection, document_id, version, version_hash, text_sha256 } = message;
  const record = async () => (await catalog.versions([version_hash])).get(version_hash);

  const before = await record();
  if (!isAlive(before)) return;
  const stored = await openStored(message, context);
  if (stored === undefined) return;
  let packs = 0;
  let chunks = 0;
  let spaces = before.spaces.map(({ id }) => id);
  try {
    for await (const made of packsOf(message, before.chunkerSpec, stored, context)) {
      const first = packs;
      await Promise.all(
        made.map((content, index) =>
          writePack(blobStore, workspace, version_hash, first + index, { textSha256: text_sha256, chunks: content }),
        ),
      );
      crashPoint('chunker.after-effect');
      crashPoint('chunker.fence');
      const now = await record();
      const then = afterWrite(now);
      if (then === 'remove') await deletePacks(blobStore, workspace, version_hash, 0);
      if (then !== 'keep') return;
      const wanted = (now ?? before).spaces.map(({ id }) => id);
      for (const content of made) {
        for (const space of wanted) {
          yield output(topics.chunksCreated, {
            ...{ workspace, collection, document_id, version, version_hash, text_sha256 },
            pack: packs,
            space,
          });
        }
        packs++;
        chunks += content.length;
      }
      // A reindex may begin or end meanwhile: the librarian fills in what a space has not had from the start.
      spaces = spaces.filter((space) => wanted.includes(space));
    }
  } finally {
    stored.blocks.destroy();
    stored.text.destroy();
  }
  // Cut before: from another text it may have had more.
  if (before.packs !== null) await deletePacks(blobStore, workspace, version_hash, packs);
  yield output(topics.documentCommands, {
    kind: 'chunked',
    ...{ workspace, collection, document_id, version, version_hash, text_sha256, packs, chunks, spaces },
  });
}

/** Deletes the packs from number `from` on: those of another text that had more. */
async function deletePacks(blobStore: BlobStore, workspace: string, versionHash: string, from: number): Promise<void> {
  const first = blobKeys.pack(workspace, versionHash, from);
  const keys: string[] = [];
  for await (const { key } of blobStore.list(blobKeys.packs(workspace, versionHash))) if (key >= first) keys.push(key);
  if (keys.length > 0) await blobStore.delete(keys);
}

interface StoredText {
  readonly blocks: Readable;
  readonly text: Readable;
}

/** The stored text, or undefined if it went with its version. */
async function openStored(
  { workspace, version_hash: hash, document_id: document }: DocumentDecoded,
  { ports: { blobStore, catalog } }: ChunkerContext,
): Promise<StoredText | undefined> {
  const [blocks, text] = await Promise.all([
    blobStore.getStream(blobKeys.blocks(workspace, hash)),
    blobStore.getStream(blobKeys.text(workspace, hash)),
  ]);
  if (blocks !== undefined && text !== undefined) return { blocks, text };
  blocks?.destroy();
  text?.destroy();
  if (!isAlive((await catalog.versions([hash])).get(hash))) return undefined;
  throw new SluiceError('internal', `the decoded text of document "${document}" is missing in the blob store`);
}

/** How many packs are stored together, with one look at whether their version still lives. */
const packsAtOnce = 8;

/** The packs of a version, some at a time. */
async function* packsOf(
  { text_sha256, document_id: document }: DocumentDecoded,
  spec: ChunkerSpec,
  { blocks, text }: StoredText,
  { config, signal }: ChunkerContext,
): AsyncGenerator<readonly (readonly Chunk[])[]> {
  let carry: ChunkerCarry | undefined;
  let waiting: Chunk[] = [];
  for await (const segment of decodedSegments(blocks, text)) {
    const final = segment.summary !== undefined;
    if (final && segment.summary.text_sha256 !== text_sha256) {
      throw new SluiceError('internal', `the stored text of document "${document}" is not the one that was announced`);
    }
    const input: SegmentInput = { spec, blocks: segment.blocks, text: segment.text, carry, final };
    const made = await inBounds(input, config.segmentTimeoutMs, signal);
    carry = made.carry;
    waiting = [...waiting, ...made.chunks];
    const whole = final ? waiting.length : waiting.length - (waiting.length % packSize);
    const packs = slices(waiting.slice(0, whole), packSize);
    for (const some of slices(packs, packsAtOnce)) yield some;
    waiting = waiting.slice(whole);
  }
}

const slices = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

async function inBounds(input: SegmentInput, timeoutMs: number, signal: AbortSignal): Promise<SegmentOutput> {
  try {
    return await runInWorker(chunkSegment, input, { timeoutMs, signal });
  } catch (error) {
    if (!(error instanceof WorkerStopped)) throw error;
    const limit = error.why === 'time' ? `took longer than ${timeoutMs / 1000} s` : 'needed too much memory';
    throw new SluiceError('invalid-document', `chunking the document ${limit} and was stopped`, { cause: error });
  }
}
