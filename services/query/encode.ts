import { describeSpace, type EmbeddingSpace } from '../domain/embedding-space.js';
import { SluiceError } from '../domain/errors.js';
import type { EmbeddingModel } from '../ports/embedding-model/port.js';

/** The query's vector by the encoder of its space; undefined when it says nothing that the model knows (a zero vector). */
export async function encodeQuery(
  model: EmbeddingModel,
  query: string,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  const vector = await model.embedQuery(query, signal);
  if (vector.length !== model.space.dimensions || !vector.every(Number.isFinite)) {
    throw new SluiceError(
      'invalid-response',
      `the model of ${describeSpace(model.space)} encoded the query as ${vector.length} numbers, or not all of them finite`,
    );
  }
  return nonZero(vector);
}

/** A caller's own vector. Throws space-mismatch for another width, invalid-argument for one without a direction. */
export function checkVector(vector: Float32Array, space: EmbeddingSpace): Float32Array {
  if (vector.length !== space.dimensions) {
    throw new SluiceError(
      'space-mismatch',
      `the vector has ${vector.length} dimensions; the collection uses ${describeSpace(space)}`,
    );
  }
  if (!vector.every(Number.isFinite) || nonZero(vector) === undefined) {
    throw new SluiceError('invalid-argument', 'the vector is zero, or not all of its numbers are finite');
  }
  return vector;
}

const nonZero = (vector: Float32Array): Float32Array | undefined =>
  vector.some((value) => value !== 0) ? vector : undefined;
