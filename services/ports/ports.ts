import type { BlobStore } from './blob-store/port.js';
import type { Bus } from './bus/port.js';
import type { LibrarianStore } from './catalog/librarian-store.js';
import type { Catalog } from './catalog/port.js';
import type { EmbeddingModels } from './embedding-model/port.js';
import type { LanguageModel } from './language-model/port.js';
import type { Reranker } from './reranker/port.js';
import type { VectorStore } from './vector-store/port.js';

/** Everything that a processor or the gateway may talk to. A declaration names which of them it uses. */
export interface Ports {
  readonly bus: Bus;
  readonly blobStore: BlobStore;
  readonly catalog: Catalog;
  /** The catalog's other face: how the librarian, and nobody else, writes documents and versions. */
  readonly librarianStore: LibrarianStore;
  readonly vectorStore: VectorStore;
  readonly embeddingModels: EmbeddingModels;
  readonly languageModel: LanguageModel;
  readonly reranker: Reranker | undefined;
}

export type PortName = keyof Ports;
