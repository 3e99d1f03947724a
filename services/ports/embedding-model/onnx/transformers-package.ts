import { SluiceError } from '../../../domain/errors.js';

export type Transformers = typeof import('@huggingface/transformers');

/** The optional package: large, and needed for such models alone. Throws configuration-invalid where it does not load. */
export async function loadTransformers(
  load = (): Promise<Transformers> => import('@huggingface/transformers'),
): Promise<Transformers> {
  try {
    return await load();
  } catch (error) {
    throw new SluiceError(
      'configuration-invalid',
      'onnx.model is set, but the package @huggingface/transformers does not load: run `npm install ' +
        '@huggingface/transformers` (with ONNXRUNTIME_NODE_INSTALL=skip in the environment, if the download of GPU ' +
        `libraries fails), or leave onnx.model empty. ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}
