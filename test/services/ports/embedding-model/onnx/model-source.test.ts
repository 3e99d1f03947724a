import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentDigest } from '../../../../../services/ports/embedding-model/onnx/content-digest.js';
import { findModel } from '../../../../../services/ports/embedding-model/onnx/model-source.js';

let root: string;
beforeEach(async () => void (root = await mkdtemp(path.join(tmpdir(), 'sluice-model-'))));
afterEach(() => rm(root, { recursive: true }));

const file = 'onnx/model_quantized.onnx';
const options = (model: string, allowDownload = false) => ({
  ...{ model, file, revision: 'main', allowDownload, cacheFolder: path.join(root, 'cache') },
});

/** The files of a model as far as finding it goes. */
async function writeModel(folder: string, weights = file, data = 'weights'): Promise<string> {
  await mkdir(path.dirname(path.join(folder, weights)), { recursive: true });
  await writeFile(path.join(folder, weights), data);
  for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) {
    await writeFile(path.join(folder, name), '{}');
  }
  return folder;
}

describe('findModel', () => {
  it('finds a folder', async () => {
    const folder = await writeModel(path.join(root, 'minilm'));
    expect(await findModel(options(folder, true))).toEqual({
      ...{ name: 'minilm', location: folder, folder, download: false },
    });
  });

  it('says which folder is not there', async () => {
    const missing = path.join(root, 'missing');
    await expect(findModel(options(missing))).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: expect.stringContaining(`there is no folder ${missing}`) as unknown,
    });
  });

  it('says which file a folder lacks, and which weights it has', async () => {
    const folder = await writeModel(path.join(root, 'minilm'), 'onnx/model.onnx');
    await expect(findModel(options(folder))).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: expect.stringContaining('set it to one of onnx/model.onnx') as unknown,
    });
    await rm(path.join(folder, 'onnx'), { recursive: true });
    await expect(findModel(options(folder))).rejects.toThrow('export the model to ONNX first');
    await rm(path.join(folder, 'tokenizer.json'));
    await expect(findModel(options(folder))).rejects.toThrow('has no tokenizer.json');
  });

  it('downloads a hub id only when it may, and not again', async () => {
    const id = 'Xenova/all-MiniLM-L6-v2';
    await expect(findModel(options(id))).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: expect.stringContaining('set onnx.allowDownload to true') as unknown,
    });
    expect(await findModel(options(id, true))).toMatchObject({ name: id, location: id, download: true });
    const folder = await writeModel(path.join(root, 'cache', id));
    expect(await findModel(options(id, true))).toEqual({ name: id, location: id, folder, download: false });
    const pinned = await writeModel(path.join(folder, 'v1'));
    expect(await findModel({ ...options(id), revision: 'v1' })).toMatchObject({ folder: pinned, download: false });
  });
});

describe('contentDigest', () => {
  it('knows weights, data beside them and tokenizer, not the folder', async () => {
    const folder = await writeModel(path.join(root, 'minilm'));
    const digest = await contentDigest(folder, file);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    await rename(folder, path.join(root, 'moved'));
    expect(await contentDigest(path.join(root, 'moved'), file)).toBe(digest);
    const others = [await contentDigest(await writeModel(path.join(root, 'other'), file, 'other weights'), file)];
    const external = await writeModel(path.join(root, 'external'));
    await writeFile(path.join(external, `${file}_data`), 'data');
    others.push(await contentDigest(external, file));
    const tokenizer = await writeModel(path.join(root, 'tokenizer'));
    await writeFile(path.join(tokenizer, 'tokenizer.json'), '{ }');
    others.push(await contentDigest(tokenizer, file));
    expect(new Set([digest, ...others]).size).toBe(4);
  });
});
