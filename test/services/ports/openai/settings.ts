import type { OpenAiEmbeddingOptions } from '../../../../services/ports/embedding-model/openai-compatible/openai.js';
import type { OpenAiLanguageOptions } from '../../../../services/ports/language-model/openai-compatible/openai.js';
import { readConfiguration } from '../../../../services/settings.js';

type Given = Readonly<Record<string, unknown>>;

/** A named model as the configuration makes it of what is given: with all defaults, checked. */
export function embeddingSettings(name: string, given: Given): OpenAiEmbeddingOptions {
  const env = { SLUICE_EMBEDDING_MODELS: JSON.stringify({ [name]: { model: 'm', dimensions: 3, ...given } }) };
  const settings = readConfiguration({ env }).section('embedding').models[name];
  if (settings === undefined) throw new Error(`${name} is not configured`);
  return { ...settings, name };
}

/** The same of a language model. */
export function languageSettings(name: string, given: Given): OpenAiLanguageOptions {
  const env = { SLUICE_LANGUAGE_MODELS: JSON.stringify({ [name]: { model: 'm', ...given } }) };
  const settings = readConfiguration({ env }).section('language').models[name];
  if (settings === undefined) throw new Error(`${name} is not configured`);
  return { ...settings, name };
}
