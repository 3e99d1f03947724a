import type { ChunkerSpec } from '../../../services/domain/chunker-spec.js';
import type { EmbeddingSpace } from '../../../services/domain/embedding-space.js';
import type { CollectionRecord } from '../../../services/ports/catalog/port.js';
import type { Chunker, Collection, EmbeddingSpace as Space } from '../../client/types.js';

export const spaceView = ({ id, model, dimensions }: EmbeddingSpace): Space => ({ id, model, dimensions });

export const chunkerView = (spec: ChunkerSpec): Chunker => ({
  strategy: spec.strategy,
  version: spec.version,
  size: spec.size,
  overlap: spec.overlap,
  tokenizer: spec.tokenizer,
  context_prefix: spec.contextPrefix,
});

/** A collection as callers see it. */
export const collectionView = (collection: CollectionRecord): Collection => ({
  collection: collection.id,
  name: collection.name,
  description: collection.description,
  metadata: { ...collection.metadata },
  space: spaceView(collection.space),
  target_space: collection.targetSpace === null ? null : spaceView(collection.targetSpace),
  chunker: collection.chunkerSpec === null ? null : chunkerView(collection.chunkerSpec),
  language: collection.lexical.language,
  state: collection.state,
  paused: collection.paused,
  created_at: collection.createdAt.toISOString(),
  updated_at: collection.updatedAt.toISOString(),
});
