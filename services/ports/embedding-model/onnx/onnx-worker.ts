import { workerData } from 'piscina';
import { SluiceError } from '../../../domain/errors.js';
import { asyncTaskOf } from '../../../runtime/workers/worker-task.js';
import type { PassageEmbedding } from '../port.js';
import { embedText, windowsFor } from './embed-text.js';
import type { Encoder } from './encoder.js';
import { loadEncoder, type EncoderSettings } from './load-encoder.js';
import type { Pooling } from './pooling.js';

export interface WorkerSettings extends EncoderSettings {
  readonly pooling: Pooling;
}

export interface EmbedInput {
  readonly text: string;
  readonly prefix: string;
  /** Counts windows and embeds none of them. */
  readonly countOnly?: boolean;
}

// The pool passes on what its owner gave it, and knows no types.
const settings = workerData as WorkerSettings;
let loaded: Promise<Encoder> | undefined;

/** A text to its vector. The first call of a thread loads the model. */
export const embed = asyncTaskOf(async ({ text, prefix, countOnly }: EmbedInput): Promise<PassageEmbedding> => {
  const encoder = await (loaded ??= loadEncoder(settings));
  if (encoder.countTokens(prefix) >= encoder.maxTokens) {
    throw new SluiceError(
      'configuration-invalid',
      `onnx.maxTokens: the ${encoder.maxTokens} tokens that a text may have leave no room behind the prefix "${prefix}"`,
    );
  }
  if (countOnly === true) return { vector: new Float32Array(0), windows: windowsFor(encoder, text, prefix).length };
  return embedText(encoder, text, { prefix, pooling: settings.pooling });
});
