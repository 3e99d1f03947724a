import { SluiceError } from '../errors.js';

/** One weight per list, all 1 unless given. Throws invalid-argument for another number of them, or one that is negative or not finite. */
export function listWeights(lists: number, weights: readonly number[] | undefined): readonly number[] {
  if (weights === undefined) return Array.from({ length: lists }, () => 1);
  if (weights.length === lists && weights.every((weight) => Number.isFinite(weight) && weight >= 0)) return weights;
  throw new SluiceError(
    'invalid-argument',
    `fusion weights [${weights.join(', ')}] do not fit ${lists} lists: give one weight of 0 or more to each`,
  );
}
