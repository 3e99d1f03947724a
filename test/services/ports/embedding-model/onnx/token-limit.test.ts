import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenLimit, trainedMaxTokens } from '../../../../../services/ports/embedding-model/onnx/token-limit.js';

const unknown = { wanted: 0, tokenizer: undefined, positions: undefined, trained: undefined };

describe('tokenLimit', () => {
  it('is the least that tokenizer, model and training say, or 512', () => {
    expect(tokenLimit({ ...unknown, tokenizer: 512, positions: 514, trained: 256 })).toBe(256);
    expect(tokenLimit({ ...unknown, tokenizer: 1e30, positions: 8192 })).toBe(8192);
    expect(tokenLimit({ ...unknown, tokenizer: 1e30 })).toBe(512);
    expect(tokenLimit(unknown)).toBe(512);
  });

  it('is the setting, which may be more than in training but not more than the model takes', () => {
    expect(tokenLimit({ ...unknown, wanted: 400, positions: 512, trained: 256 })).toBe(400);
    expect(() => tokenLimit({ ...unknown, wanted: 513, positions: 512 })).toThrow('the model takes 512 at most');
  });
});

describe('trainedMaxTokens', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'sluice-limit-'))));
  afterAll(() => rm(folder, { recursive: true }));

  it('reads what sentence-transformers left', async () => {
    expect(await trainedMaxTokens(folder)).toBeUndefined();
    await writeFile(path.join(folder, 'sentence_bert_config.json'), '{ "max_seq_length": 256 }');
    expect(await trainedMaxTokens(folder)).toBe(256);
    await writeFile(path.join(folder, 'sentence_bert_config.json'), '{ "max_seq_length": null }');
    expect(await trainedMaxTokens(folder)).toBeUndefined();
  });
});
