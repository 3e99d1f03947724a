import { describeSpace } from '../../domain/embedding-space.js';
import { SluiceError } from '../../domain/errors.js';
import type { EmbeddingModel, EmbeddingModels } from './port.js';

/** The configured models; the first is the one that new collections are pinned to. */
export function createEmbeddingModels(models: readonly [EmbeddingModel, ...EmbeddingModel[]]): EmbeddingModels {
  const bySpace = new Map(models.map((model) => [model.space.id, model]));
  return {
    default: models[0],
    all: models,
    ofSpace(spaceId) {
      const model = bySpace.get(spaceId);
      if (model !== undefined) return model;
      const configured = models.map(({ space }) => describeSpace(space)).join(', ');
      throw new SluiceError(
        'space-mismatch',
        `no configured model embeds in space ${spaceId}; configured: ${configured}. Configure the model that the ` +
          'collection was made with, or reindex the collection',
      );
    },
    async close() {
      await Promise.all(models.map((model) => model.close()));
    },
  };
}
