import { SluiceError } from '../../../domain/errors.js';
import type { OpenAiClient } from '../../openai/client.js';
import { vectorsOf } from './vectors.js';

export interface EncoderSettings {
  readonly name: string;
  readonly dimensions: number;
  readonly requestDimensions: boolean;
}

type Encode = (model: string, texts: readonly string[], signal?: AbortSignal) => Promise<readonly Float32Array[]>;

/**
 * One call of the server: texts to their vectors. They come as base64, a quarter of the bytes of numbers in JSON; a server
 * that refuses such a call before it has ever answered one is asked for numbers, and if it gives them, ever after.
 */
export function createEncoder(
  client: Pick<OpenAiClient, 'embeddings'>,
  { name, dimensions, requestDimensions }: EncoderSettings,
): Encode {
  let format: 'base64' | 'float' | 'unknown' = 'unknown';

  return async (model, texts, signal) => {
    const call = async (encoding: 'base64' | 'float'): Promise<readonly Float32Array[]> => {
      const request = { model, input: texts, encoding_format: encoding };
      const { data } = await client.embeddings(requestDimensions ? { ...request, dimensions } : request, signal);
      format = encoding;
      return vectorsOf(data, { name, count: texts.length, dimensions });
    };
    if (format !== 'unknown') return call(format);
    try {
      return await call('base64');
    } catch (error) {
      if (!(error instanceof SluiceError) || error.code !== 'invalid-argument') throw error;
      return call('float');
    }
  };
}
