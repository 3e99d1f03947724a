import type { Collection } from '../../gateway/client/client.js';
import { SluiceError } from '../../services/domain/errors.js';
import type { LoadPlan } from './plan.js';

/**
 * Throws space-mismatch or spec-mismatch if the collection is pinned to something else than the load says. The server
 * checks every document as well, but never sees those that have not changed.
 */
export function checkPins({ collection, space, chunker }: Collection, plan: LoadPlan): void {
  const { expectedSpace: model = space.id, expectedChunkSize: size, expectedChunkOverlap: overlap } = plan;
  if (model !== space.id && model !== space.model) {
    throw new SluiceError(
      'space-mismatch',
      `collection "${collection}" is pinned to embedding model ${space.model} (${space.id}), not ${model}: ` +
        `leave --embedding away, or reindex the collection`,
    );
  }
  if (chunker === null) return;
  if ((size ?? chunker.size) === chunker.size && (overlap ?? chunker.overlap) === chunker.overlap) return;
  throw new SluiceError(
    'spec-mismatch',
    `collection "${collection}" is pinned to chunks of size ${chunker.size}, overlap ${chunker.overlap}, not size ` +
      `${size ?? chunker.size}, overlap ${overlap ?? chunker.overlap}: leave --chunk-size and --chunk-overlap away, ` +
      `or rechunk the collection`,
  );
}
