import { SluiceError } from '../domain/errors.js';
import { describeSpace } from '../domain/embedding-space.js';
import type { EmbeddingModel, PassageEmbedding } from '../ports/embedding-model/port.js';

/** A text that the model refuses, alone among the others. */
export type Embedded = PassageEmbedding | { readonly error: unknown };

/**
 * One vector or error per text, in order. Calls are as large as the model likes them; a batch that it refuses is halved
 * until the text that it refuses stands alone. An outage fails all.
 */
export async function embedTexts(
  model: EmbeddingModel,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Embedded[]> {
  const results: Embedded[] = [];
  for (let from = 0; from < texts.length; from += model.maxBatch) {
    signal.throwIfAborted();
    results.push(...(await embedBatch(model, texts.slice(from, from + model.maxBatch), signal)));
  }
  return results;
}

async function embedBatch(
  model: EmbeddingModel,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Embedded[]> {
  try {
    return checked(model, texts, await model.embedPassages(texts, signal));
  } catch (error) {
    if (signal.aborted || (error instanceof SluiceError && error.class === 'unavailable')) throw error;
    if (texts.length === 1) return [{ error }];
    const half = texts.length >> 1;
    return [
      ...(await embedBatch(model, texts.slice(0, half), signal)),
      ...(await embedBatch(model, texts.slice(half), signal)),
    ];
  }
}

function checked(
  { space }: EmbeddingModel,
  texts: readonly string[],
  embedded: readonly PassageEmbedding[],
): readonly PassageEmbedding[] {
  const fault =
    embedded.length !== texts.length
      ? `${embedded.length} vectors for ${texts.length} texts`
      : embedded.some(({ vector }) => vector.length !== space.dimensions)
        ? `vectors of ${[...new Set(embedded.map(({ vector }) => vector.length))].join(' and ')} dimensions`
        : embedded.some(({ vector }) => !allFinite(vector))
          ? 'vectors with numbers that are not finite'
          : undefined;
  if (fault !== undefined) {
    throw new SluiceError('invalid-response', `the model of ${describeSpace(space)} answered with ${fault}`);
  }
  return embedded;
}

/** One number that is not finite leaves no finite sum, and a sum costs a tenth of asking each of them. */
function allFinite(vector: Float32Array): boolean {
  let sum = 0;
  for (const value of vector) sum += value;
  return Number.isFinite(sum);
}
