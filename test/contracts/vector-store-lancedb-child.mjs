// A process of its own that writes to a vector store, from dist/, until it is killed; says what was acknowledged.
import { createLanceDbVectorStore } from '../../dist/services/ports/vector-store/lancedb/lancedb.js';

const [, , folder] = process.argv;
const store = await createLanceDbVectorStore({ folder });
const scope = {
  workspace: 'w',
  collection: 'c',
  space: { id: 's', model: 'test', dimensions: 4 },
  lexical: { version: 1, language: 'english' },
};
let next = await store.count(scope);
for (;;) {
  const id = `point-${next++}`;
  await store.upsert(scope, [
    {
      pointId: id,
      chunkId: id,
      documentId: 'd',
      versionHash: 'v',
      seq: 0,
      source: '',
      vector: Float32Array.of(1, next, 0, 0),
      terms: ['all', id],
      attributes: { n: next },
    },
  ]);
  process.stdout.write(`${next}\n`);
}
