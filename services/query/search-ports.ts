import type { Ports } from '../ports/ports.js';

export const searchPorts = ['blobStore', 'catalog', 'embeddingModels', 'reranker', 'vectorStore'] as const;

export type SearchPorts = Pick<Ports, (typeof searchPorts)[number]>;
