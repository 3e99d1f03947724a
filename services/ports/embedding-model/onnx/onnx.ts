import type { Static } from '@sinclair/typebox';
import { workerTask } from '../../../runtime/workers/worker-task.js';
import { mapConcurrently } from '../../blob-store/map-concurrently.js';
import type { EmbeddingModel, PassageEmbedding } from '../port.js';
import { spaceIdOf } from '../space-id.js';
import { contentDigest } from './content-digest.js';
import { EncoderPool } from './encoder-pool.js';
import { findModel } from './model-source.js';
import type { onnxConfig } from './onnx-config.js';
import type { EmbedInput } from './onnx-worker.js';

export interface OnnxOptions extends Static<typeof onnxConfig> {
  /** Where downloaded models are kept. */
  readonly cacheFolder: string;
}

const embed = workerTask<EmbedInput, PassageEmbedding>(new URL('./onnx-worker.js', import.meta.url), 'embed');

/**
 * A sentence-embedding model in ONNX, computed on this machine: pooled tokens, unit length, in threads of one text each.
 * Its space is what it is made of, so that the folder may move. Throws configuration-invalid, saying what to install or
 * set, where package, folder or model are missing or do not fit.
 */
export async function createOnnxModel(options: OnnxOptions): Promise<EmbeddingModel> {
  const { file, pooling, passagePrefix, queryPrefix } = options;
  const source = await findModel(options);
  const pool = new EncoderPool(embed, { ...options, source }, options.workers);
  try {
    const { vector } = await pool.run({ text: 'a text to learn the width from', prefix: passagePrefix });
    await pool.run({ text: 'and to try the other encoder', prefix: queryPrefix });
    const dimensions = vector.length;
    const id = spaceIdOf({
      ...{ provider: 'onnx', model: 'sentence embedding', revision: await contentDigest(source.folder, file) },
      ...{ dimensions, pooling: `${pooling}, unit length`, documentEncoder: passagePrefix, queryEncoder: queryPrefix },
    });
    return {
      space: { id, model: source.name, dimensions },
      // The share that was best for models of this kind over several corpora.
      fusion: { method: 'relative', denseWeight: 0.3 },
      maxBatch: 32,
      embedPassages: (texts, signal) =>
        mapConcurrently(texts, pool.threads, (text) => pool.run({ text, prefix: passagePrefix }, signal)).then(
          (embedded) => {
            signal?.throwIfAborted();
            return embedded;
          },
        ),
      windows: (texts, signal) =>
        mapConcurrently(
          texts,
          pool.threads,
          async (text) => (await pool.run({ text, prefix: passagePrefix, countOnly: true }, signal)).windows,
        ),
      embedQuery: async (text, signal) => (await pool.run({ text, prefix: queryPrefix }, signal)).vector,
      close: () => pool.close(),
    };
  } catch (error) {
    await pool.close();
    throw error;
  }
}
