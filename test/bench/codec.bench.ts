// One pack of vectors (64 × 384 float32) through the codec, beside avsc's own arrays of numbers and beside JSON.
import avsc from 'avsc';
import type { ChunksEmbedded } from '../../schema/generated.js';
import { schemas } from '../../schema/generated.js';
import { singleObjectCodec } from '../../schema/single-object.js';
import { compare } from './compare.js';

const vectorOf = (seed: number): Float32Array =>
  Float32Array.from({ length: 384 }, (_, index) => Math.sin(seed * 384 + index));
const versionHash = 'a'.repeat(64);
const metadata = {
  ...{ workspace: 'default', collection: 'default', document_id: 'a.md', version: 1, version_hash: versionHash },
  ...{ pack: 0, text_sha256: 'b'.repeat(64), import_id: null, generation: null, bucket: null },
};
const message: ChunksEmbedded = {
  metadata,
  space: 'hashing-1024',
  windowed: 0,
  chunks: Array.from({ length: 64 }, (_, seq) => ({ chunk_id: `${versionHash}:${seq}`, vectors: [vectorOf(seq)] })),
};

const codec = singleObjectCodec();
const bytes = codec.encode('ChunksEmbedded', message);

const registry: Record<string, avsc.Type> = {};
for (const schema of schemas) avsc.Type.forSchema(schema as unknown as avsc.Schema, { registry, namespace: 'sluice' });
const plain = registry['sluice.ChunksEmbedded'];
if (plain === undefined) throw new Error('no schema ChunksEmbedded');
const numbers = {
  ...message,
  chunks: message.chunks.map(({ chunk_id, vectors }) => ({ chunk_id, vectors: vectors.map((vector) => [...vector]) })),
};
const plainBytes = plain.toBuffer(numbers);

await compare('encode 64 × 384 floats', 'messages', [
  { name: 'avsc, arrays of numbers', run: () => plain.toBuffer(numbers) },
  { name: 'codec, Float32Array', run: () => codec.encode('ChunksEmbedded', message) },
  { name: 'JSON', run: () => Buffer.from(JSON.stringify(numbers)) },
]);
const json = JSON.stringify(numbers);
await compare('decode 64 × 384 floats', 'messages', [
  { name: 'avsc, arrays of numbers', run: (): unknown => plain.fromBuffer(plainBytes) },
  { name: 'codec, Float32Array', run: () => codec.decode('ChunksEmbedded', bytes) },
  { name: 'JSON', run: (): unknown => JSON.parse(json) },
]);
