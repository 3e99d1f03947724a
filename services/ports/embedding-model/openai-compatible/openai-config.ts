import { Type, type Static } from '@sinclair/typebox';
import { endpointProperties, modelName } from '../../openai/endpoint-config.js';

export const openAiEmbeddingConfig = Type.Object({
  ...endpointProperties,
  model: Type.String({
    description: 'What the server calls the model that embeds documents, and queries unless queryModel names another.',
    minLength: 1,
  }),
  queryModel: Type.String({
    description: 'What the server calls the model that embeds queries. Empty: the same.',
    default: '',
  }),
  dimensions: Type.Integer({ description: 'The length of the vectors.', minimum: 1, maximum: 65_536 }),
  requestDimensions: Type.Boolean({
    description: 'Whether the server is asked for vectors of that length, which only some models can shorten.',
    default: false,
  }),
  queryPrefix: Type.String({
    description: 'What the model wants before every query, for example "query: ".',
    default: '',
  }),
  passagePrefix: Type.String({
    description: 'What the model wants before every passage, for example "passage: ".',
    default: '',
  }),
  maxTokens: Type.Integer({
    description:
      'The most tokens that the model takes of one text, prefix included; a longer text is embedded in windows. Many servers cut what is longer and do not say so.',
    default: 512,
    minimum: 8,
  }),
  tokenRatio: Type.Number({
    description:
      'How many tokens the model makes of one o200k token, the measure at hand: 1 for OpenAI’s own models, more for small vocabularies.',
    default: 1.3,
    exclusiveMinimum: 0,
  }),
  maxBatchTexts: Type.Integer({
    description: 'The most texts of one call.',
    default: 32,
    minimum: 1,
    maximum: 2048,
  }),
  maxBatchTokens: Type.Integer({
    description: 'The most tokens of one call, unless a single text has more.',
    default: 16_384,
    minimum: 1,
  }),
  fusion: Type.Union([Type.Literal('relative'), Type.Literal('rrf')], {
    description: 'How its ranking is joined with that of words, unless a request says otherwise.',
    default: 'relative',
  }),
  denseWeight: Type.Number({
    description: 'The share, 0 to 1, of its ranking in that: the better the model, the more.',
    default: 0.3,
    minimum: 0,
    maximum: 1,
  }),
  revision: Type.String({
    description: 'Another value is another embedding space: for weights that changed under the same name.',
    default: '',
  }),
  spaceId: Type.String({
    description:
      'The id of the embedding space. Empty: derived from model, dimensions, revision and prefixes, wherever the server stands.',
    default: '',
  }),
});

export type OpenAiEmbeddingSettings = Static<typeof openAiEmbeddingConfig>;

export const openAiEmbeddingModels = Type.Record(modelName, openAiEmbeddingConfig, {
  description: 'Embedding models behind OpenAI-compatible servers, by names of your own.',
  default: {},
  additionalProperties: false,
});
