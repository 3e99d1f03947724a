import type { Output } from '../output/output.js';

/** What to type after the quickstart: commands that work as they stand. */
export function printNextSteps(output: Output): void {
  const style = output.out;
  const command = (text: string): void => output.line(`    ${style.cyan(text)}`);
  output.line(`\n${style.bold('What to type next')}`);
  output.line('\n  Your own folder: start a server in one terminal, and in another');
  command('npx sluice serve');
  command('npx sluice load ./docs');
  command('npx sluice ask "what do my documents say about …?"');
  output.line(
    '\n  A stronger embedding model, on this machine. A collection keeps the one it was made with until it is reindexed',
  );
  command('npm install @huggingface/transformers');
  command('export SLUICE_EMBEDDING_MODEL=onnx SLUICE_ONNX_MODEL=Xenova/all-MiniLM-L6-v2');
  command('npx sluice serve');
  command('npx sluice collections reindex default --model Xenova/all-MiniLM-L6-v2 --watch');
  output.line('\n  Models behind an endpoint with a key: name them in sluice.yaml');
  command('embedding: { model: e, models: { e: { baseUrl: https://…/v1, model: …, dimensions: … } } }');
  command('language: { model: m, models: { m: { baseUrl: https://…/v1, model: … } } }');
  output.line('  and keep the keys out of it');
  command('export SLUICE_EMBEDDING_MODELS_E_API_KEY=… SLUICE_LANGUAGE_MODELS_M_API_KEY=…');
  command('npx sluice serve --config sluice.yaml');
  output.line('\n  The same on Kafka, PostgreSQL, S3 and Qdrant: see deploy/README.md');
  command('docker compose up -d --wait');
  output.line('\n  Whether all is well, and what to do if not');
  command('npx sluice doctor');
}
