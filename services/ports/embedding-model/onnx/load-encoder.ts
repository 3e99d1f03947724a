import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Tensor } from '@huggingface/transformers';
import { SluiceError } from '../../../domain/errors.js';
import type { Encoder } from './encoder.js';
import type { ModelSource } from './model-source.js';
import { tokenLimit, trainedMaxTokens } from './token-limit.js';
import { loadTransformers } from './transformers-package.js';

export interface EncoderSettings {
  readonly source: ModelSource;
  readonly file: string;
  readonly revision: string;
  readonly cacheFolder: string;
  /** 0: as many as the model says. */
  readonly maxTokens: number;
}

const errorsOnly = 40;
/** What models call the vectors of tokens. */
const outputNames = ['last_hidden_state', 'token_embeddings', 'hidden_states'];

/** Loads a model into this thread, which then computes in this thread alone. Throws configuration-invalid. */
export async function loadEncoder(settings: EncoderSettings): Promise<Encoder> {
  const { env, AutoTokenizer, AutoModel } = await loadTransformers();
  const { source, file, revision, cacheFolder } = settings;
  env.allowRemoteModels = source.download;
  env.cacheDir = cacheFolder;
  env.localModelPath = cacheFolder;
  env.logLevel = errorsOnly;
  try {
    const options = { revision, local_files_only: !source.download };
    const tokenizer = await AutoTokenizer.from_pretrained(source.location, options);
    const model = await AutoModel.from_pretrained(source.location, {
      ...options,
      device: 'cpu',
      dtype: 'fp32',
      subfolder: path.dirname(file) === '.' ? '' : path.dirname(file),
      model_file_name: path.basename(file, '.onnx'),
      ...(existsSync(path.join(source.folder, `${file}_data`)) ? { use_external_data_format: true } : {}),
      session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
    });
    return {
      maxTokens: tokenLimit({
        wanted: settings.maxTokens,
        tokenizer: tokenizer.model_max_length,
        positions: model.config.max_position_embeddings,
        trained: await trainedMaxTokens(source.folder),
      }),
      countTokens: (text) => tokenizer.encode(text).length,
      encode: async (text) =>
        tokenVectors(await model(tokenizer(text, { truncation: false, padding: false })), source.name),
    };
  } catch (error) {
    if (error instanceof SluiceError) throw error;
    throw new SluiceError(
      'configuration-invalid',
      `onnx.model: ${source.name} (${file}) could not be loaded; is it whole, and a model of sentences? ` +
        (error instanceof Error ? error.message : String(error)),
      { cause: error },
    );
  }
}

type Outputs = Readonly<Record<string, Tensor>>;

function tokenVectors(outputs: Outputs, name: string): { readonly hidden: Float32Array; readonly dimensions: number } {
  const output = outputNames.map((key) => outputs[key]).find((tensor) => tensor !== undefined);
  const dimensions = output?.dims[2];
  if (output === undefined || dimensions === undefined) {
    throw new SluiceError(
      'configuration-invalid',
      `onnx.model: ${name} gives ${Object.keys(outputs).join(', ')}, not the vectors of tokens ` +
        `(${outputNames.join(', ')}): set it to a model of sentences`,
    );
  }
  const { data } = output.type === 'float32' ? output : output.to('float32');
  if (!(data instanceof Float32Array)) throw new TypeError(`${name} gave ${output.type}`);
  return { hidden: data, dimensions };
}
