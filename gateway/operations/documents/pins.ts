import { describeSpec } from '../../../services/domain/chunker-spec.js';
import { describeSpace } from '../../../services/domain/embedding-space.js';
import { SluiceError } from '../../../services/domain/errors.js';
import type { CollectionRecord } from '../../../services/ports/catalog/port.js';
import type { EmbeddingModels } from '../../../services/ports/embedding-model/port.js';
import type { SubmitOptions } from '../../client/types.js';

/**
 * Throws space-mismatch if no configured model serves the collection's space or the caller counts on another, and
 * spec-mismatch if the collection is read-only or the caller counts on other chunks.
 */
export function checkPins(collection: CollectionRecord, models: EmbeddingModels, expected: SubmitOptions): void {
  checkSpace(collection, models, expected.expected_space);
  checkSpec(collection, expected);
}

function checkSpace({ id, space }: CollectionRecord, models: EmbeddingModels, expected: string | undefined): void {
  if (expected !== undefined && expected !== space.id && expected !== space.model) {
    throw new SluiceError(
      'space-mismatch',
      `collection "${id}" uses ${describeSpace(space)}, not ${expected}: ` +
        `leave the model away, or change it with "sluice collections reindex ${id} --model ${expected}"`,
    );
  }
  if (models.all.some((model) => model.space.id === space.id)) return;
  const configured = models.all.map((model) => describeSpace(model.space)).join(', ');
  throw new SluiceError(
    'space-mismatch',
    `collection "${id}" uses ${describeSpace(space)}; this server embeds with ${configured}: ` +
      `configure the collection's model, or change it with "sluice collections reindex ${id} --model …"`,
  );
}

function checkSpec({ id, chunkerSpec: spec }: CollectionRecord, expected: SubmitOptions): void {
  if (spec === null) {
    throw new SluiceError('spec-mismatch', `collection "${id}" is read-only: load into another collection`);
  }
  const { expected_chunk_size: size = spec.size, expected_chunk_overlap: overlap = spec.overlap } = expected;
  if (size === spec.size && overlap === spec.overlap) return;
  throw new SluiceError(
    'spec-mismatch',
    `collection "${id}" is cut by ${describeSpec(spec)}, not size ${size}, overlap ${overlap}: ` +
      `leave the chunk size away, or change it with "sluice collections rechunk ${id} --chunk-size ${size}"`,
  );
}
