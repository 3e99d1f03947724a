import { Type, type Static } from '@sinclair/typebox';
import { SluiceError } from '../domain/errors.js';
import { createEmbeddingModels } from './embedding-model/embedding-models.js';
import { createHashingModel } from './embedding-model/hashing/hashing.js';
import { createOnnxModel } from './embedding-model/onnx/onnx.js';
import type { onnxConfig } from './embedding-model/onnx/onnx-config.js';
import { createOpenAiEmbeddingModel } from './embedding-model/openai-compatible/openai.js';
import { openAiEmbeddingModels } from './embedding-model/openai-compatible/openai-config.js';
import type { EmbeddingModel, EmbeddingModels } from './embedding-model/port.js';
import { createExtractiveModel } from './language-model/extractive/extractive.js';
import { createOpenAiLanguageModel } from './language-model/openai-compatible/openai.js';
import { openAiLanguageModels } from './language-model/openai-compatible/openai-config.js';
import type { LanguageModel } from './language-model/port.js';

export const embeddingConfig = Type.Object({
  model: Type.String({
    description:
      'The model that new collections are pinned to: hashing, which needs nothing and knows words, not meanings; onnx, which the section of that name sets up; or a name in models. Collections keep the model they have; each stays usable while its model is set up.',
    default: 'hashing',
    minLength: 1,
  }),
  models: openAiEmbeddingModels,
});

export const languageConfig = Type.Object({
  model: Type.String({
    description:
      'The model that answers: extractive, which needs nothing and answers in sentences of the documents, or a name in models.',
    default: 'extractive',
    minLength: 1,
  }),
  models: openAiLanguageModels,
});

export const extractiveConfig = Type.Object({
  minOverlap: Type.Number({
    description:
      'The least share, 0 to 1, of the question\'s words (rare ones count more) in a sentence that counts as an answer; below it the answer is "not found".',
    default: 0.16,
    minimum: 0,
    maximum: 1,
  }),
  maxSentences: Type.Integer({ description: 'The most sentences of an answer.', default: 3, minimum: 1 }),
});

/** The sections of the configuration that choose and set up models. */
export interface ModelSettings {
  readonly embedding: Static<typeof embeddingConfig>;
  readonly onnx: Static<typeof onnxConfig>;
  readonly language: Static<typeof languageConfig>;
  readonly extractive: Static<typeof extractiveConfig>;
}

/** Throws configuration-invalid for a chosen model that is not there. */
export function checkChoices({ embedding, onnx, language }: ModelSettings): void {
  if (embedding.model === 'onnx' && onnx.model === '') {
    throw new SluiceError(
      'configuration-invalid',
      'embedding.model is onnx, but onnx.model names no model: set it to a folder or a hub id',
    );
  }
  checkChoice('embedding', embedding, ['hashing', 'onnx']);
  checkChoice('language', language, ['extractive']);
}

function checkChoice(
  section: string,
  { model, models }: { readonly model: string; readonly models: Readonly<Record<string, unknown>> },
  own: readonly string[],
): void {
  const taken = own.find((name) => Object.hasOwn(models, name));
  if (taken !== undefined) {
    const why = 'Sluice has a model of that name: choose another';
    throw new SluiceError('configuration-invalid', `${section}.models.${taken}: ${why}`);
  }
  const known = [...own, ...Object.keys(models)];
  if (known.includes(model)) return;
  throw new SluiceError(
    'configuration-invalid',
    `${section}.model is ${model}, which is none of ${known.join(', ')}: choose one of them, or set up ${section}.models.${model}`,
  );
}

/** Hashing is always there, for the collections that are pinned to it; the others are if they are set up. */
export async function openEmbeddingModels(
  { embedding, onnx }: Pick<ModelSettings, 'embedding' | 'onnx'>,
  cacheFolder: string,
): Promise<EmbeddingModels> {
  const models = new Map<string, EmbeddingModel>([['hashing', createHashingModel()]]);
  for (const [name, settings] of Object.entries(embedding.models)) {
    models.set(name, createOpenAiEmbeddingModel({ ...settings, name }));
  }
  if (onnx.model !== '') models.set('onnx', await createOnnxModel({ ...onnx, cacheFolder }));
  const chosen = models.get(embedding.model);
  return createEmbeddingModels([...models.values()].sort((a, b) => Number(b === chosen) - Number(a === chosen)));
}

/** The model that answers. */
export function openLanguageModel(
  { language, extractive }: Pick<ModelSettings, 'language' | 'extractive'>,
  embeddingModel: EmbeddingModel,
): LanguageModel {
  const settings = language.models[language.model];
  return settings === undefined
    ? createExtractiveModel({ embeddingModel, ...extractive })
    : createOpenAiLanguageModel({ ...settings, name: language.model });
}

/** The models that servers compute, chosen or not, for whoever wants to know whether these answer. */
export const remoteModels = ({
  embedding,
  language,
}: Pick<ModelSettings, 'embedding' | 'language'>): {
  readonly embedding: readonly EmbeddingModel[];
  readonly language: readonly LanguageModel[];
} => ({
  embedding: Object.entries(embedding.models).map(([name, settings]) =>
    createOpenAiEmbeddingModel({ ...settings, name }),
  ),
  language: Object.entries(language.models).map(([name, settings]) => createOpenAiLanguageModel({ ...settings, name })),
});
