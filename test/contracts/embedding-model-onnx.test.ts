import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOnnxModel, type OnnxOptions } from '../../services/ports/embedding-model/onnx/onnx.js';
import { openPorts } from '../../services/ports/wire.js';
import { portSettings, readConfiguration } from '../../services/settings.js';
import { describeEmbeddingModelContract } from './embedding-model-contract.js';
import { cosine } from './vector-store-points.js';

/** A folder with tokenizer and ONNX weights; those of all-MiniLM-L6-v2, or of any model of English sentences. */
const folder = process.env['SLUICE_TEST_ONNX_MODEL'];
const file = process.env['SLUICE_TEST_ONNX_FILE'] ?? 'onnx/model_quantized.onnx';

let cacheFolder: string;
beforeAll(async () => void (cacheFolder = await mkdtemp(path.join(tmpdir(), 'sluice-onnx-'))));
afterAll(() => rm(cacheFolder, { recursive: true }));

const options = (model: string, changes: Partial<OnnxOptions> = {}): OnnxOptions => ({
  ...readConfiguration({ env: { SLUICE_ONNX_FILE: file, SLUICE_ONNX_MODEL: model } }).section('onnx'),
  ...{ cacheFolder, workers: 2 },
  ...changes,
});

describe('what is missing', () => {
  it('is told before anything is loaded', async () => {
    await expect(createOnnxModel(options(path.join(cacheFolder, 'none')))).rejects.toMatchObject({
      code: 'configuration-invalid',
    });
  });

  it('is told by the thread that loads: the package, or weights that are none', async () => {
    const broken = path.join(cacheFolder, 'broken');
    await mkdir(path.dirname(path.join(broken, file)), { recursive: true });
    for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json', file]) {
      await writeFile(path.join(broken, name), '{}');
    }
    await expect(createOnnxModel(options(broken))).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: expect.stringContaining('onnx.model') as unknown,
    });
  });

  it('is told where new collections want a model that is not set up', async () => {
    const configuration = readConfiguration({
      env: { SLUICE_EMBEDDING_MODEL: 'onnx' },
      data: path.join(cacheFolder, 'data'),
    });
    const ports = openPorts(portSettings(configuration));
    await expect(ports).rejects.toMatchObject({ code: 'configuration-invalid' });
  });
});

if (folder === undefined) {
  describe('the ONNX model', () => {
    it.skip('skipped: SLUICE_TEST_ONNX_MODEL names no folder with a sentence-embedding model in ONNX', () => undefined);
  });
} else {
  describeEmbeddingModelContract('onnx', () => createOnnxModel(options(folder)));

  describe('the ONNX model', () => {
    it('counts the windows of a long text, whose vector is near to those of its parts', async () => {
      const model = await createOnnxModel(options(folder, { maxTokens: 32 }));
      const sentence = 'The dam was built in 1936 and holds back the river. ';
      const [short, long] = await model.embedPassages([sentence, sentence.repeat(12)]);
      expect(short?.windows).toBe(1);
      expect(long?.windows).toBeGreaterThanOrEqual(5);
      expect(cosine(short?.vector ?? new Float32Array(1), long?.vector ?? new Float32Array(1))).toBeGreaterThan(0.8);
      await model.close();
    });

    it('is another space with other prefixes or pooling, the same whatever the workers', async () => {
      const ids = new Set<string>();
      for (const changes of [{}, { workers: 1 }, { queryPrefix: 'query: ' }, { passagePrefix: 'passage: ' }]) {
        const model = await createOnnxModel(options(folder, changes));
        ids.add(model.space.id);
        await model.close();
      }
      expect(ids.size).toBe(3);
    });

    it('puts prefixes before texts', async () => {
      const plain = await createOnnxModel(options(folder));
      const prefixed = await createOnnxModel(options(folder, { queryPrefix: 'query: ', passagePrefix: 'passage: ' }));
      const [passage] = await prefixed.embedPassages(['a bird']);
      const [same] = await plain.embedPassages(['passage: a bird']);
      expect(cosine(passage?.vector ?? new Float32Array(1), same?.vector ?? new Float32Array(1))).toBeCloseTo(1, 4);
      const query = await prefixed.embedQuery('a bird');
      expect(cosine(query, await plain.embedQuery('query: a bird'))).toBeCloseTo(1, 4);
      await plain.close();
      await prefixed.close();
    });

    it('refuses windows that a prefix fills or that the model cannot take', async () => {
      await expect(createOnnxModel(options(folder, { maxTokens: 3, passagePrefix: 'a b c' }))).rejects.toThrow(
        'prefix',
      );
      await expect(createOnnxModel(options(folder, { maxTokens: 1_000_000 }))).rejects.toThrow('at most');
    });

    it('lets go at once when a call is aborted, and goes on with others', async () => {
      const model = await createOnnxModel(options(folder));
      const abort = new AbortController();
      const long = model.embedPassages(Array<string>(50).fill('word '.repeat(2000)), abort.signal);
      abort.abort(new Error('enough'));
      await expect(long).rejects.toThrow('enough');
      expect(await model.embedQuery('a bird')).toHaveLength(model.space.dimensions);
      await model.close();
    });
  });
}
