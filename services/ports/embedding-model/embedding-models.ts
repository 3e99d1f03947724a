import { describeSpace } from '../../domain/embedding-space.js';
import { SluiceError } from '../../domain/errors.js';
import type { EmbeddingModel, EmbeddingModels } from './port.js';

/**
 * The configured models together; `defaultModel` names the one that new collections are pinned to, else it is the first.
 * Throws configuration-invalid for none, two of one space, or an unknown default.
 */
export function createEmbeddingModels(models: readonly EmbeddingModel[], defaultModel?: string): EmbeddingModels {
  const bySpace = new Map<string, EmbeddingModel>();
  for (const model of models) {
    const other = bySpace.get(model.space.id);
    if (other !== undefined) {
      throw new SluiceError(
        'configuration-invalid',
        `embedding models ${other.space.model} and ${model.space.model} declare the same space ${model.space.id}: ` +
          'vectors of different models must not meet; give one of them another space id',
      );
    }
    bySpace.set(model.space.id, model);
  }
  const names = models.map(({ space }) => describeSpace(space)).join(', ');
  const chosen = models.find(({ space }) => defaultModel === undefined || space.model === defaultModel);
  if (chosen === undefined) {
    throw new SluiceError(
      'configuration-invalid',
      `the default embedding model ${defaultModel ?? ''} is not among the configured ones: ${names === '' ? 'none' : names}`,
    );
  }
  return {
    default: chosen,
    all: models,
    ofSpace(spaceId) {
      const model = bySpace.get(spaceId);
      if (model !== undefined) return model;
      throw new SluiceError(
        'space-mismatch',
        `no configured embedding model makes vectors of space ${spaceId}; configured are ${names}: ` +
          'configure the model of that space again, or reindex the collection',
      );
    },
    async close() {
      for (const model of models) await model.close();
    },
  };
}
