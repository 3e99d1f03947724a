// A process of its own with a PGlite catalog, from dist/: commits one handled command after another until it is killed,
// and says which commits have returned.
import { createPgliteCatalog } from '../../dist/services/ports/catalog/pglite/pglite-catalog.js';

const [, , folder, first] = process.argv;
const catalog = await createPgliteCatalog({ folder });
for (let number = Number(first); ; number++) {
  const command = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const key = { workspace: 'acme', collection: 'handbook', documentId: `d${number}` };
  await catalog.change(
    { documents: [key], collections: [], commands: [command], pages: [], countVersionsTo: 0 },
    () => ({
      documents: [{ key, seq: number, lastVersion: number, versions: [] }],
      collections: [],
      outcomes: [],
      handled: [{ command, outputs: [{ topic: 't', value: { padding: 'x'.repeat(2_000) } }] }],
      result: undefined,
    }),
  );
  process.stdout.write(`${number}\n`);
}
