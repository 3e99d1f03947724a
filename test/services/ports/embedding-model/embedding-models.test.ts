import { describe, expect, it } from 'vitest';
import { createEmbeddingModels } from '../../../../services/ports/embedding-model/embedding-models.js';
import { createHashingModel } from '../../../../services/ports/embedding-model/hashing/hashing.js';

describe('the configured embedding models', () => {
  const english = createHashingModel();
  const german = createHashingModel({ language: 'german' });

  it('are found by their space; the first, or the one named, is the default', () => {
    const models = createEmbeddingModels([english, german]);
    expect(models.default).toBe(english);
    expect(models.ofSpace(german.space.id)).toBe(german);
    expect(createEmbeddingModels([english, german], 'hashing-german').default).toBe(german);
  });

  it('refuse an unknown space, naming it and the configured ones', () => {
    const models = createEmbeddingModels([english]);
    expect(() => models.ofSpace('minilm')).toThrow(expect.objectContaining({ code: 'space-mismatch' }) as Error);
    expect(() => models.ofSpace('minilm')).toThrow(/minilm.*hashing\/1024/);
  });

  it('refuse two models of one space, none at all, and an unknown default', () => {
    const invalid = expect.objectContaining({ code: 'configuration-invalid' }) as Error;
    expect(() => createEmbeddingModels([english, createHashingModel()])).toThrow(invalid);
    expect(() => createEmbeddingModels([])).toThrow(invalid);
    expect(() => createEmbeddingModels([english], 'minilm')).toThrow(invalid);
  });
});
