import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { createFilesystemBlobStore } from './blob-store/filesystem/filesystem.js';
import { createEmbeddedBus } from './bus/embedded/embedded-bus.js';
import { createPgliteCatalog } from './catalog/pglite/pglite-catalog.js';
import { createEmbeddingModels } from './embedding-model/embedding-models.js';
import { createHashingModel } from './embedding-model/hashing/hashing.js';
import { createOnnxModel } from './embedding-model/onnx/onnx.js';
import type { onnxConfig } from './embedding-model/onnx/onnx-config.js';
import type { EmbeddingModel, EmbeddingModels } from './embedding-model/port.js';
import { SluiceError } from '../domain/errors.js';
import { createExtractiveModel } from './language-model/extractive/extractive.js';
import type { Ports } from './ports.js';
import { createLanceDbVectorStore } from './vector-store/lancedb/lancedb.js';

export const storageConfig = Type.Object({
  folder: Type.String({
    description: 'The folder that holds everything that the embedded engines keep. One process at a time owns it.',
    default: './.sluice',
    minLength: 1,
  }),
});

export const embeddingConfig = Type.Object({
  model: Type.Union([Type.Literal('hashing'), Type.Literal('onnx')], {
    description:
      'The model that new collections are pinned to: hashing, which needs nothing and knows words, not meanings, or onnx, which the section of that name sets up. Collections keep the model they have; each stays usable while its model is set up.',
    default: 'hashing',
  }),
});

export const extractiveConfig = Type.Object({
  minOverlap: Type.Number({
    description:
      'The least share, 0 to 1, of the question\'s words (rare ones count more) in a sentence that counts as an answer; below it the answer is "not found".',
    default: 0.16,
    minimum: 0,
    maximum: 1,
  }),
  maxSentences: Type.Integer({ description: 'The most sentences of an answer.', default: 3, minimum: 1 }),
});

/** The sections of the configuration that choose and set up adapters. */
export interface PortSettings {
  readonly storage: Static<typeof storageConfig>;
  readonly embedding: Static<typeof embeddingConfig>;
  readonly onnx: Static<typeof onnxConfig>;
  readonly extractive: Static<typeof extractiveConfig>;
}

/** Ports with an end. */
export type OpenPorts = Ports & { close(): Promise<void> };

interface Closable {
  close(): Promise<void>;
}

/**
 * Configuration to adapters. What is opened last is closed first; if one cannot be opened, those that are open are
 * closed again. The bus goes first: it is what tells a second process that the folder has an owner.
 */
export async function openPorts({ storage, embedding, onnx, extractive }: PortSettings): Promise<OpenPorts> {
  if (embedding.model === 'onnx' && onnx.model === '') {
    throw new SluiceError(
      'configuration-invalid',
      'embedding.model is onnx, but onnx.model names no model: set it to a folder or a hub id',
    );
  }
  const open: Closable[] = [];
  const close = async (): Promise<void> => {
    for (const adapter of open.splice(0).reverse()) await adapter.close();
  };
  const add = async <T extends Closable>(adapter: Promise<T>): Promise<T> => {
    const opened = await adapter;
    open.push(opened);
    return opened;
  };
  const folder = (name: string): string => join(storage.folder, name);
  try {
    await mkdir(storage.folder, { recursive: true });
    const bus = await add(createEmbeddedBus({ folder: folder('bus') }));
    const catalog = await add(createPgliteCatalog({ folder: folder('catalog') }));
    const blobStore = await add(createFilesystemBlobStore({ folder: folder('blobs') }));
    const vectorStore = await add(createLanceDbVectorStore({ folder: folder('vectors') }));
    const embeddingModels = await add(openEmbeddingModels(embedding.model, { ...onnx, cacheFolder: folder('models') }));
    const embeddingModel = embeddingModels.default;
    const languageModel = await add(Promise.resolve(createExtractiveModel({ embeddingModel, ...extractive })));
    return {
      ...{ bus, catalog, librarianStore: catalog, blobStore, vectorStore },
      ...{ embeddingModels, languageModel, reranker: undefined, close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Hashing is always there, for the collections that are pinned to it; the other model is if it is set up. */
async function openEmbeddingModels(
  model: PortSettings['embedding']['model'],
  onnx: Parameters<typeof createOnnxModel>[0],
): Promise<EmbeddingModels> {
  const models: EmbeddingModel[] = [createHashingModel()];
  if (onnx.model !== '') models.push(await createOnnxModel(onnx));
  return createEmbeddingModels(model === 'onnx' ? models.reverse() : models);
}
