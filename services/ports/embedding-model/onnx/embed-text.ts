import type { PassageEmbedding } from '../port.js';
import { unitLength, unitMean } from '../unit-length.js';
import { windowsOf } from '../windows.js';
import type { Encoder } from './encoder.js';
import { pool, type Pooling } from './pooling.js';

/** What of a text is embedded at once, behind its prefix. */
export const windowsFor = (encoder: Encoder, text: string, prefix: string): readonly string[] =>
  windowsOf(text, encoder.maxTokens, (part) => encoder.countTokens(prefix + part));

/** The unit-length vector of one text behind its prefix; of a text longer than the model takes, the mean of its windows. */
export async function embedText(
  encoder: Encoder,
  text: string,
  { prefix, pooling }: { readonly prefix: string; readonly pooling: Pooling },
): Promise<PassageEmbedding> {
  const windows = windowsFor(encoder, text, prefix);
  const vectors: Float32Array[] = [];
  for (const window of windows) {
    const { hidden, dimensions } = await encoder.encode(prefix + window);
    vectors.push(unitLength(pool(hidden, dimensions, pooling)));
  }
  return { vector: unitMean(vectors), windows: windows.length };
}
