import { workerData } from 'piscina';
import { SluiceError } from '../../../domain/errors.js';
import { asyncTaskOf } from '../../../runtime/workers/worker-task.js';
import type { PassageEmbedding } from '../port.js';
import { embedText } from './embed-text.js';
import type { Encoder } from './encoder.js';
import { loadEncoder, type EncoderSettings } from './load-encoder.js';
import type { Pooling } from './pooling.js';

export interface WorkerSettings extends EncoderSettings {
  readonly pooling: Pooling;
}

export interface EmbedInput {
  readonly text: string;
  readonly prefix: string;
}

// The pool passes on what its owner gave it, and knows no types.
const settings = workerData as WorkerSettings;
let loaded: Promise<Encoder> | undefined;

/** A text to its vector. The first call of a thread loads the model. */
export const embed = asyncTaskOf(async ({ text, prefix }: EmbedInput): Promise<PassageEmbedding> => {
  const encoder = await (loaded ??= loadEncoder(settings));
  if (encoder.countTokens(prefix) >= encoder.maxTokens) {
    throw new SluiceError(
      'configuration-invalid',
      `onnx.maxTokens: the ${encoder.maxTokens} tokens that a text may have leave no room behind the prefix "${prefix}"`,
    );
  }
  return embedText(encoder, text, { prefix, pooling: settings.pooling });
});
