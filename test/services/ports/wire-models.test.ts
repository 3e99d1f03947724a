import { describe, expect, it } from 'vitest';
import { checkChoices, openEmbeddingModels, openLanguageModel } from '../../../services/ports/wire-models.js';
import { readConfiguration } from '../../../services/settings.js';

const fast = { baseUrl: 'http://127.0.0.1:9/v1', model: 'm', dimensions: 3 };

const settingsOf = (env: Record<string, string>) => {
  const configuration = readConfiguration({ env });
  return {
    embedding: configuration.section('embedding'),
    onnx: configuration.section('onnx'),
    language: configuration.section('language'),
    extractive: configuration.section('extractive'),
  };
};

describe('models by name', () => {
  it('are the embedded ones unless others are chosen', async () => {
    const settings = settingsOf({});
    const models = await openEmbeddingModels(settings, '');
    expect(models.all.map(({ space }) => space.model)).toEqual(['hashing']);
    expect(openLanguageModel(settings, models.default).name).toContain('extractive');
  });

  it('are all there, each in its space, and the chosen one is the default', async () => {
    const settings = settingsOf({
      SLUICE_EMBEDDING_MODEL: 'good',
      SLUICE_EMBEDDING_MODELS: JSON.stringify({ fast, good: { ...fast, dimensions: 4 } }),
      SLUICE_LANGUAGE_MODEL: 'big',
      SLUICE_LANGUAGE_MODELS: JSON.stringify({ big: { baseUrl: fast.baseUrl, model: 'm-70b' } }),
    });
    const models = await openEmbeddingModels(settings, '');
    expect(models.default.space).toMatchObject({ model: 'good', dimensions: 4 });
    expect(models.all.map(({ space }) => space.model)).toEqual(['good', 'hashing', 'fast']);
    for (const { space } of models.all) expect(models.ofSpace(space.id).space).toEqual(space);
    expect(openLanguageModel(settings, models.default).name).toBe('big (m-70b)');
  });

  it('must not share a space', async () => {
    const settings = settingsOf({ SLUICE_EMBEDDING_MODELS: JSON.stringify({ fast, again: fast }) });
    await expect(openEmbeddingModels(settings, '')).rejects.toMatchObject({ code: 'configuration-invalid' });
  });

  it.each([
    [{ SLUICE_EMBEDDING_MODEL: 'fats', SLUICE_EMBEDDING_MODELS: JSON.stringify({ fast }) }, 'hashing, onnx, fast'],
    [{ SLUICE_EMBEDDING_MODELS: JSON.stringify({ hashing: fast }) }, 'embedding.models.hashing'],
    [{ SLUICE_LANGUAGE_MODEL: 'constructor' }, 'language.models.constructor'],
    [{ SLUICE_EMBEDDING_MODEL: 'onnx' }, 'onnx.model'],
  ])('are refused where they make no sense: %o', (env, words) => {
    expect(() => checkChoices(settingsOf(env as Record<string, string>))).toThrow(words);
  });

  it('have names that variables can spell', () => {
    const env = { SLUICE_EMBEDDING_MODELS: JSON.stringify({ Fast_One: fast }) };
    expect(() => settingsOf(env)).toThrow('embedding.models.Fast_One');
  });
});
