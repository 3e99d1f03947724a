import { Type, type Static } from '@sinclair/typebox';
import { endpointProperties, modelName } from '../../openai/endpoint-config.js';

export const openAiLanguageConfig = Type.Object({
  ...endpointProperties,
  model: Type.String({ description: 'What the server calls the model.', minLength: 1 }),
  contextWindow: Type.Integer({
    description: 'The most tokens of prompt and answer together.',
    default: 8192,
    minimum: 256,
  }),
  tokenRatio: Type.Number({
    description:
      'How many tokens the model makes of one o200k token, the measure at hand: 1 for most, more for small vocabularies.',
    default: 1,
    exclusiveMinimum: 0,
  }),
  temperature: Type.Number({
    description: 'How freely the model chooses its words; 0: always the likeliest.',
    default: 0,
    minimum: 0,
    maximum: 2,
  }),
  instructionsIn: Type.Union([Type.Literal('system'), Type.Literal('user')], {
    description:
      'Where the instructions stand: in a system message, or before the question for models that know no such messages.',
    default: 'system',
  }),
});

export type OpenAiLanguageSettings = Static<typeof openAiLanguageConfig>;

export const openAiLanguageModels = Type.Record(modelName, openAiLanguageConfig, {
  description: 'Language models behind OpenAI-compatible servers, by names of your own.',
  default: {},
  additionalProperties: false,
});
