import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type output, type Delivery } from '../../../services/runtime/processor.js';
import type { Topic } from '../../../schema/topics.js';
import type { Command } from '../../../services/domain/documents/command.js';
import { versionHash } from '../../../services/domain/identity.js';
import type { Chunk } from '../../../services/domain/text.js';
import { createFilesystemBlobStore } from '../../../services/ports/blob-store/filesystem/filesystem.js';
import { writePack } from '../../../services/ports/blob-store/packs.js';
import { createPgliteCatalog } from '../../../services/ports/catalog/pglite/pglite-catalog.js';
import { createEmbeddingModels } from '../../../services/ports/embedding-model/embedding-models.js';
import { createHashingModel } from '../../../services/ports/embedding-model/hashing/hashing.js';
import { createLanceDbVectorStore } from '../../../services/ports/vector-store/lancedb/lancedb.js';
import { collectionOf, commit, keyOf, submitOf } from '../../contracts/catalog-fixture.js';

const textSha256 = 'a'.repeat(64);
export const delivery = <T extends Topic>(_topic: T, value: Parameters<typeof output<T>>[1]): Delivery<T> => ({
  value: value as Delivery<T>['value'],
  headers: { 'message-id': '1' },
  partition: 0,
  offset: 0n,
  timestamp: 0,
  attempt: 1,
});

export const chunksOf = (...texts: string[]): Chunk[] =>
  texts.map((text, seq) => ({ seq, start: 0, end: text.length, text, headingPath: ['Guide'] }));

/** The engines that embedder and vector-writer run on, with documents as far as the stages before would bring them. */
export async function openStage() {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-stage-'));
  const catalog = await createPgliteCatalog({ folder: join(folder, 'catalog') });
  const vectorStore = await createLanceDbVectorStore({ folder: join(folder, 'vectors') });
  const blobStore = await createFilesystemBlobStore({ folder: join(folder, 'blobs') });
  const model = createHashingModel();
  const embeddingModels = createEmbeddingModels([model]);
  await catalog.createCollection(collectionOf('handbook', { space: model.space }));
  const scope = {
    ...{ workspace: 'acme', collection: 'handbook', space: model.space },
    lexical: collectionOf('handbook').lexical,
  };

  const command = (documentId: string, ...commands: Command[]) =>
    commit(catalog, [{ key: keyOf(documentId), commands }]);

  return {
    ports: { catalog, vectorStore, blobStore, embeddingModels },
    context: (ports: object = {}) => ({
      ...{ config: {}, log: pino({ level: 'silent' }), signal: new AbortController().signal },
      ports: { catalog, vectorStore, blobStore, embeddingModels, ...ports },
    }),
    model,
    scope,
    command,
    /** A version in work whose packs are written, and how the messages of its first pack name it. */
    async version(documentId: string, chunks: readonly Chunk[], change: Parameters<typeof submitOf>[1] = {}) {
      const version = ((await catalog.document(keyOf(documentId)))?.lastVersion ?? 0) + 1;
      const content = `${documentId} ${version}`;
      await command(documentId, submitOf(content, { operation: content, uploadId: content, ...change }));
      const hash = versionHash(keyOf(documentId), version);
      await writePack(blobStore, 'acme', hash, 0, { textSha256, chunks });
      const { workspace, collection } = scope;
      return {
        ...{ workspace, collection, document_id: documentId, version, version_hash: hash, pack: 0 },
        ...{ space: model.space.id, text_sha256: textSha256 },
      };
    },
    async close() {
      await vectorStore.close();
      await catalog.close();
      await blobStore.close();
      await rm(folder, { recursive: true });
    },
  };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;
