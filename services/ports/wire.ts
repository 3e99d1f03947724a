import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { createFilesystemBlobStore } from './blob-store/filesystem/filesystem.js';
import { createEmbeddedBus } from './bus/embedded/embedded-bus.js';
import { createPgliteCatalog } from './catalog/pglite/pglite-catalog.js';
import type { Ports } from './ports.js';
import { createLanceDbVectorStore } from './vector-store/lancedb/lancedb.js';
import { checkChoices, openEmbeddingModels, openLanguageModel, type ModelSettings } from './wire-models.js';

export const storageConfig = Type.Object({
  folder: Type.String({
    description: 'The folder that holds everything that the embedded engines keep. One process at a time owns it.',
    default: './.sluice',
    minLength: 1,
  }),
});

/** The sections of the configuration that choose and set up adapters. */
export interface PortSettings extends ModelSettings {
  readonly storage: Static<typeof storageConfig>;
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
export async function openPorts({ storage, ...models }: PortSettings): Promise<OpenPorts> {
  checkChoices(models);
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
    const embeddingModels = await add(openEmbeddingModels(models, folder('models')));
    const languageModel = await add(Promise.resolve(openLanguageModel(models, embeddingModels.default)));
    return {
      ...{ bus, catalog, librarianStore: catalog, blobStore, vectorStore },
      ...{ embeddingModels, languageModel, reranker: undefined, close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
