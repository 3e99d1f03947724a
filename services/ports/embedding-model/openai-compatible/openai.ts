import { SluiceError } from '../../../domain/errors.js';
import { o200kTokens } from '../../../domain/o200k-tokens.js';
import { createOpenAiClient } from '../../openai/client.js';
import type { EmbeddingModel, PassageEmbedding } from '../port.js';
import { spaceIdOf } from '../space-id.js';
import { unitLength, unitMean } from '../unit-length.js';
import { windowsOf } from '../windows.js';
import { batchesOf } from './batches.js';
import type { OpenAiEmbeddingSettings } from './openai-config.js';
import { createEncoder } from './encoder.js';

export interface OpenAiEmbeddingOptions extends OpenAiEmbeddingSettings {
  /** What people call the model: its name in the configuration. */
  readonly name: string;
}

/**
 * An embedding model behind a server with OpenAI's API. Nothing is asked of the server here, so that it may be down when
 * Sluice starts. Vectors have unit length; a text longer than `maxTokens` is embedded in windows and counted so; a text of
 * white space alone is not sent, for many servers refuse it: its vector is zero. Throws configuration-invalid where a
 * prefix leaves no room for a text.
 */
export function createOpenAiEmbeddingModel(options: OpenAiEmbeddingOptions): EmbeddingModel {
  const { name, dimensions, queryPrefix, passagePrefix, maxTokens, tokenRatio, fusion, denseWeight } = options;
  const limits = { maxTexts: options.maxBatchTexts, maxTokens: options.maxBatchTokens };
  const countTokens = (text: string): number => Math.ceil(o200kTokens(text) * tokenRatio);
  const client = createOpenAiClient(options, name);
  const encode = createEncoder(client, options);
  const queryModel = options.queryModel === '' ? options.model : options.queryModel;
  for (const prefix of [queryPrefix, passagePrefix]) {
    if (countTokens(`${prefix} a`) < maxTokens) continue;
    throw new SluiceError(
      'configuration-invalid',
      `embedding.models.${name}.maxTokens: the ${maxTokens} tokens that a text may have leave no room behind the prefix "${prefix}"`,
    );
  }

  const windowsIn = (text: string, prefix: string): readonly string[] =>
    text.trim() === '' ? [] : windowsOf(text, maxTokens, (part) => countTokens(prefix + part));

  async function embed(
    texts: readonly string[],
    { model, prefix }: { readonly model: string; readonly prefix: string },
    signal: AbortSignal | undefined,
  ): Promise<readonly PassageEmbedding[]> {
    signal?.throwIfAborted();
    const windows = texts.map((text) => windowsIn(text, prefix));
    const vectors: Float32Array[] = [];
    const inputs = windows.flat().map((window) => prefix + window);
    for (const batch of batchesOf(inputs, limits, countTokens)) {
      vectors.push(...(await encode(model, batch, signal)).map(unitLength));
    }
    let from = 0;
    return windows.map(({ length }) => ({
      vector: length === 0 ? new Float32Array(dimensions) : unitMean(vectors.slice(from, (from += length))),
      windows: Math.max(1, length),
    }));
  }

  const id = spaceIdOf({
    ...{ provider: 'openai-compatible', model: options.model, revision: options.revision, dimensions },
    pooling: 'the server’s, unit length',
    documentEncoder: `${options.model}\0${passagePrefix}`,
    queryEncoder: `${queryModel}\0${queryPrefix}`,
  });
  return {
    space: { id: options.spaceId === '' ? id : options.spaceId, model: name, dimensions },
    fusion: { method: fusion, denseWeight },
    maxBatch: options.maxBatchTexts,
    embedPassages: (texts, signal) => embed(texts, { model: options.model, prefix: passagePrefix }, signal),
    windows: (texts) => Promise.resolve(texts.map((text) => Math.max(1, windowsIn(text, passagePrefix).length))),
    embedQuery: async (text, signal) => {
      const [embedded] = await embed([text], { model: queryModel, prefix: queryPrefix }, signal);
      return embedded?.vector ?? new Float32Array(dimensions);
    },
    close: () => Promise.resolve(),
  };
}
