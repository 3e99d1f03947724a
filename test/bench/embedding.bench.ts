// Embedding with a sentence-embedding model in ONNX: what the pipeline makes of the cores beside the model alone, over the
// same texts. BENCH_ONNX_MODEL names the model's folder, BENCH_ONNX_FILE its file.
import { performance } from 'node:perf_hooks';
import { tmpdir } from 'node:os';
import { createOnnxModel } from '../../services/ports/embedding-model/onnx/onnx.js';
import type { EmbeddingModel } from '../../services/ports/embedding-model/port.js';
import { readConfiguration } from '../../services/settings.js';
import { withModel, withServer } from './bench-server.js';
import { packageDocuments } from './documents.js';

const model = process.env['BENCH_ONNX_MODEL'];
if (model === undefined) {
  console.log('\nembedding: left out, BENCH_ONNX_MODEL names no model folder');
} else {
  const file = process.env['BENCH_ONNX_FILE'];
  const env = { SLUICE_ONNX_MODEL: model, ...(file === undefined ? {} : { SLUICE_ONNX_FILE: file }) };
  const settings = readConfiguration({ env }).section('onnx');
  const onnx = await createOnnxModel({ ...settings, cacheFolder: tmpdir() });
  const documents = packageDocuments().slice(0, Number(process.env['BENCH_DOCUMENTS'] ?? 60));
  const texts: string[] = [];
  const listening: EmbeddingModel = {
    ...onnx,
    close: () => Promise.resolve(),
    embedPassages: (given, signal) => {
      texts.push(...given);
      return onnx.embedPassages(given, signal);
    },
  };
  const rates: number[] = [];
  await withServer(documents, withModel(listening), async (run) => {
    texts.length = 0;
    const { chunks, seconds } = await run.load();
    rates.push(chunks / seconds);
    console.log(`\nembedding: ${chunks} chunks of ${documents.length} documents, ${onnx.space.model}`);
    console.log(`  the whole pipeline   ${(chunks / seconds).toFixed(1)} chunks/s`);
  });
  const start = performance.now();
  for (let from = 0; from < texts.length; from += onnx.maxBatch) {
    await onnx.embedPassages(texts.slice(from, from + onnx.maxBatch));
  }
  const alone = texts.length / ((performance.now() - start) / 1000);
  console.log(`  the model alone      ${alone.toFixed(1)} chunks/s`);
  console.log(`  the pipeline reaches ${((100 * (rates[0] ?? NaN)) / alone).toFixed(0)} % of the model alone`);
  await onnx.close();
}
