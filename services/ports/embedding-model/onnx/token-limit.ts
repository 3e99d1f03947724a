import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SluiceError } from '../../../domain/errors.js';

/** Where neither tokenizer nor model says how long a text may be. */
const customaryMaxTokens = 512;
/** Tokenizers that know no limit say a number beyond all sense. */
const senseless = 1e6;

interface Limits {
  /** The setting; 0: as many as the model says. */
  readonly wanted: number;
  readonly tokenizer: number | undefined;
  readonly positions: number | undefined;
  /** How long texts were in training. */
  readonly trained: number | undefined;
}

/** The most tokens that a model is given at once. Throws configuration-invalid for more than it can take. */
export function tokenLimit({ wanted, tokenizer, positions, trained }: Limits): number {
  const possible = Math.min(tokenizer ?? Infinity, positions ?? Infinity);
  if (wanted > possible) {
    throw new SluiceError(
      'configuration-invalid',
      `onnx.maxTokens is ${wanted}, but the model takes ${possible} at most`,
    );
  }
  if (wanted > 0) return wanted;
  const customary = possible < senseless ? possible : customaryMaxTokens;
  return Math.min(customary, trained ?? Infinity);
}

/** What sentence-transformers left word of in a model's folder. */
export async function trainedMaxTokens(folder: string): Promise<number | undefined> {
  try {
    const settings: unknown = JSON.parse(await readFile(path.join(folder, 'sentence_bert_config.json'), 'utf8'));
    if (typeof settings !== 'object' || settings === null || !('max_seq_length' in settings)) return undefined;
    return typeof settings.max_seq_length === 'number' ? settings.max_seq_length : undefined;
  } catch {
    return undefined; // Hub downloads do not have it.
  }
}
