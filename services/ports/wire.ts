import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Codec } from '../../schema/codec.js';
import { singleObjectCodec } from '../../schema/single-object.js';
import { registryCodec } from '../../schema/registry/registry.js';
import type { BlobStore } from './blob-store/port.js';
import type { Bus } from './bus/port.js';
import type { KafkaBus } from './bus/kafka/kafka-bus.js';
import type { LibrarianStore } from './catalog/librarian-store.js';
import type { Catalog } from './catalog/port.js';
import type { PostgresState } from './catalog/postgres/inspect.js';
import { embeddedPorts, type PortSettings } from './port-settings.js';
import type { Ports } from './ports.js';
import type { VectorStore } from './vector-store/port.js';
import { checkChoices, openEmbeddingModels, openLanguageModel } from './wire-models.js';

/** Ports with an end. */
export type OpenPorts = Ports & { close(): Promise<void> };

/** Hears of what fails on the way to a server and is tried again. */
export type Warn = (message: string, details: Readonly<Record<string, unknown>>) => void;

interface Closable {
  close(): Promise<void>;
}

/**
 * Configuration to adapters; the code of those that are not chosen is not loaded. What is opened last is closed first;
 * if one cannot be opened, those that are open are closed again. The bus goes first: embedded, it is what tells a second
 * process that the folder has an owner.
 */
export async function openPorts(settings: PortSettings, warn: Warn = () => undefined): Promise<OpenPorts> {
  checkChoices(settings);
  const open: Closable[] = [];
  const close = async (): Promise<void> => {
    for (const adapter of open.splice(0).reverse()) await adapter.close();
  };
  const add = async <T extends Closable>(adapter: Promise<T>): Promise<T> => {
    const opened = await adapter;
    open.push(opened);
    return opened;
  };
  try {
    if (embeddedPorts(settings.adapters).length > 0) await mkdir(settings.storage.folder, { recursive: true });
    const bus = await add(openBus(settings, warn));
    const catalog = await add(openCatalog(settings));
    const blobStore = await add(openBlobStore(settings));
    const vectorStore = await add(openVectorStore(settings));
    const embeddingModels = await add(openEmbeddingModels(settings, folder(settings, 'models')));
    const languageModel = await add(Promise.resolve(openLanguageModel(settings, embeddingModels.default)));
    return {
      ...{ bus, catalog, librarianStore: catalog, blobStore, vectorStore },
      ...{ embeddingModels, languageModel, reranker: undefined, close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** How messages become bytes: by a registry if there is one. */
export const openCodec = ({ registry }: Pick<PortSettings, 'registry'>): Codec =>
  registry.url === '' ? singleObjectCodec() : registryCodec(registry);

const folder = ({ storage }: PortSettings, name: string): string => join(storage.folder, name);

export const openKafka = async (
  { kafka }: Pick<PortSettings, 'kafka'>,
  warn: Warn = () => undefined,
): Promise<KafkaBus> => (await import('./bus/kafka/kafka-bus.js')).createKafkaBus({ ...kafka, warn });

async function openBus(settings: PortSettings, warn: Warn): Promise<Bus> {
  if (settings.adapters.bus === 'kafka') return openKafka(settings, warn);
  const { createEmbeddedBus } = await import('./bus/embedded/embedded-bus.js');
  return createEmbeddedBus({ folder: folder(settings, 'bus') });
}

const openPostgres = async ({ postgres }: Pick<PortSettings, 'postgres'>): Promise<Catalog & LibrarianStore> =>
  (await import('./catalog/postgres/postgres-catalog.js')).createPostgresCatalog(postgres);

/** What is found on the server, without making or changing anything there. Throws unavailable. */
export const inspectPostgres = async ({ postgres }: Pick<PortSettings, 'postgres'>): Promise<PostgresState> =>
  (await import('./catalog/postgres/inspect.js')).inspectPostgres(postgres);

async function openCatalog(settings: PortSettings): Promise<Catalog & LibrarianStore> {
  if (settings.adapters.catalog === 'postgres') return openPostgres(settings);
  const { createPgliteCatalog } = await import('./catalog/pglite/pglite-catalog.js');
  return createPgliteCatalog({ folder: folder(settings, 'catalog') });
}

export const openS3 = async ({ s3 }: Pick<PortSettings, 's3'>) =>
  (await import('./blob-store/s3/s3.js')).createS3BlobStore(s3);

async function openBlobStore(settings: PortSettings): Promise<BlobStore> {
  if (settings.adapters.blobStore === 's3') return openS3(settings);
  const { createFilesystemBlobStore } = await import('./blob-store/filesystem/filesystem.js');
  return createFilesystemBlobStore({ folder: folder(settings, 'blobs') });
}

export const openQdrant = async ({ qdrant }: Pick<PortSettings, 'qdrant'>) =>
  (await import('./vector-store/qdrant/qdrant.js')).createQdrantVectorStore(qdrant);

async function openVectorStore(settings: PortSettings): Promise<VectorStore> {
  if (settings.adapters.vectorStore === 'qdrant') return openQdrant(settings);
  const { createLanceDbVectorStore } = await import('./vector-store/lancedb/lancedb.js');
  return createLanceDbVectorStore({ folder: folder(settings, 'vectors') });
}
