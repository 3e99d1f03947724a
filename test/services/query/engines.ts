import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attributes } from '../../../services/domain/attributes.js';
import { chunkId, contentHash, pointId, versionHash } from '../../../services/domain/identity.js';
import { defaultLexicalAnalysis } from '../../../services/domain/lexical-analysis.js';
import { terms } from '../../../services/domain/lexical/terms.js';
import { codePoints } from '../../../services/domain/text.js';
import { createFilesystemBlobStore } from '../../../services/ports/blob-store/filesystem/filesystem.js';
import { writePack } from '../../../services/ports/blob-store/packs.js';
import { createPgliteCatalog } from '../../../services/ports/catalog/pglite/pglite-catalog.js';
import { createEmbeddingModels } from '../../../services/ports/embedding-model/embedding-models.js';
import { createHashingModel } from '../../../services/ports/embedding-model/hashing/hashing.js';
import { createLanceDbVectorStore } from '../../../services/ports/vector-store/lancedb/lancedb.js';
import { collectionOf, commit, keyOf, submitOf } from '../../contracts/catalog-fixture.js';

interface NewVersion {
  readonly collection?: string;
  readonly workspace?: string;
  readonly version?: number;
  /** One per chunk. */
  readonly texts: readonly string[];
  readonly attributes?: Attributes;
  readonly source?: string;
  /** Whether its packs are confirmed, and it is live. */
  readonly ready?: boolean;
}

/** The embedded engines in a folder of their own, and what the stages would leave in them. */
export async function openEngines() {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-query-engines-'));
  const catalog = await createPgliteCatalog({ folder: join(folder, 'catalog') });
  const vectorStore = await createLanceDbVectorStore({ folder: join(folder, 'vectors') });
  const blobStore = await createFilesystemBlobStore({ folder: join(folder, 'blobs') });
  const model = createHashingModel();
  const embeddingModels = createEmbeddingModels([model]);
  const { space } = model;
  const lexical = defaultLexicalAnalysis;

  /** Ingests a version of a document, up to its confirmed packs. */
  async function load(documentId: string, given: NewVersion): Promise<string> {
    const { collection = 'kb', workspace = 'acme', version = 1, texts, attributes = {}, ready = true } = given;
    const source = given.source ?? `file:///${documentId}`;
    const key = keyOf(documentId, collection, workspace);
    const hash = versionHash(key, version);
    let start = 0;
    const chunks = texts.map((text, seq) => {
      const chunk = { seq, start, end: start + codePoints(text), text, headingPath: [] };
      start = chunk.end;
      return chunk;
    });
    await writePack(blobStore, workspace, hash, 0, { textSha256: contentHash(Buffer.from(texts.join(''))), chunks });
    const embedded = await model.embedPassages(texts);
    await vectorStore.upsert(
      { workspace, collection, space, lexical },
      texts.map((text, seq) => ({
        ...{ pointId: pointId(chunkId(hash, seq)), chunkId: chunkId(hash, seq), documentId, versionHash: hash, seq },
        ...{ source, attributes, terms: terms(text, lexical), vector: embedded[seq]?.vector ?? new Float32Array(0) },
      })),
    );
    const operation = `${workspace}/${collection}/${documentId}/${version}`;
    const submit = submitOf(`${operation} ${texts.join('')}`, { operation, uploadId: operation, attributes, source });
    const { id } = space;
    await commit(catalog, [
      {
        key,
        commands: [
          submit,
          ...(ready
            ? [
                { kind: 'chunked' as const, version, packs: 1, chunks: texts.length },
                { kind: 'indexed' as const, version, space: id, pack: 0, revision: 1 },
              ]
            : []),
        ],
      },
    ]);
    return hash;
  }

  return {
    ports: { catalog, vectorStore, blobStore, embeddingModels },
    load,
    create: (id: string, workspace = 'acme') => catalog.createCollection(collectionOf(id, { workspace, space })),
    commit: (documentId: string, ...commands: Parameters<typeof commit>[1][number]['commands']) =>
      commit(catalog, [{ key: keyOf(documentId, 'kb'), commands }]),
    async close() {
      await vectorStore.close();
      await catalog.close();
      await blobStore.close();
      await rm(folder, { recursive: true });
    },
  };
}
