import { describe, expect, it } from 'vitest';
import { createHashingModel } from '../../services/ports/embedding-model/hashing/hashing.js';
import { describeEmbeddingModelContract } from './embedding-model-contract.js';

describeEmbeddingModelContract('hashing', () => Promise.resolve(createHashingModel()));

describe('the hashing model', () => {
  it('has the zero vector for a text without terms', async () => {
    const model = createHashingModel();
    const [passage] = await model.embedPassages(['the of and …']);
    expect(passage?.vector.every((value) => value === 0)).toBe(true);
  });

  it('is one space per language, the same in every process', () => {
    expect(createHashingModel().space).toEqual({ id: 'hashing-2496ae323ea324a3', model: 'hashing', dimensions: 1024 });
    expect(createHashingModel({ language: 'german' }).space.id).not.toBe(createHashingModel().space.id);
    expect(createHashingModel({ spaceId: 'mine' }).space.id).toBe('mine');
  });

  it('weighs a repeated term 1 + ln(count), and stems', async () => {
    const model = createHashingModel();
    const [once, twice] = await model.embedPassages(['embedding', 'embeddings embedded chunk']);
    const values = [...(twice?.vector ?? [])]
      .filter((value) => value !== 0)
      .map(Math.abs)
      .sort();
    const heavy = 1 + Math.log(2);
    expect(values[0]).toBeCloseTo(1 / Math.hypot(1, heavy), 5);
    expect(values[1]).toBeCloseTo(heavy / Math.hypot(1, heavy), 5);
    expect(Math.max(...(once?.vector ?? []).map(Math.abs))).toBe(1);
  });
});
