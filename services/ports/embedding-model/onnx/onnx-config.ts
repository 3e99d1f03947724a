import { Type } from '@sinclair/typebox';

export const onnxConfig = Type.Object({
  model: Type.String({
    description:
      'A sentence-embedding model in ONNX: a folder with config.json, tokenizer.json, tokenizer_config.json and the weights, or the id of one on the Hugging Face hub, such as Xenova/all-MiniLM-L6-v2. Needs the package @huggingface/transformers. Empty: none.',
    default: '',
  }),
  file: Type.String({
    description: 'The weights: a path inside the model, which ends in .onnx.',
    default: 'onnx/model_quantized.onnx',
    pattern: '^(?!/)(?!.*\\.\\.).+\\.onnx$',
  }),
  allowDownload: Type.Boolean({
    description:
      'Whether a model named by a hub id may be downloaded, once, into the folder `models` of the storage folder. Without it, only one that lies there already is used.',
    default: false,
  }),
  revision: Type.String({
    description: 'The branch, tag or commit of a model named by a hub id.',
    default: 'main',
    minLength: 1,
  }),
  queryPrefix: Type.String({
    description: 'What the model wants before every query, for example "query: ".',
    default: '',
  }),
  passagePrefix: Type.String({
    description: 'What the model wants before every passage, for example "passage: ".',
    default: '',
  }),
  pooling: Type.Union([Type.Literal('mean'), Type.Literal('first')], {
    description: "How tokens become one vector: their mean, or the first token's (`cls` on model cards).",
    default: 'mean',
  }),
  maxTokens: Type.Integer({
    description:
      'The most tokens that the model is given at once, prefix included; a longer text is embedded in windows. 0: as many as the model says that it takes.',
    default: 0,
    minimum: 0,
  }),
  workers: Type.Integer({
    description: 'Threads that embed, each with the model in its own memory. 0: one per core.',
    default: 0,
    minimum: 0,
  }),
});
