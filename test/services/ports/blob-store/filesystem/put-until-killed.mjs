// Puts blobs without end and prints the key of each once its put has resolved. Arguments: folder, round.
import { writeSync } from 'node:fs';
import { createFilesystemBlobStore } from '../../../../../dist/services/ports/blob-store/filesystem/filesystem.js';

const [folder, round] = process.argv.slice(2);
const store = await createFilesystemBlobStore({ folder });

async function* pieces(bytes) {
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
}

async function work(worker) {
  for (let index = 0; ; index++) {
    const key = `workspace/round-${round}/${worker}-${index}`;
    const bytes = Buffer.from(`${key}\n`.repeat(1 + ((index * 7919) % 20_000)));
    await (index % 2 === 0 ? store.put(key, bytes) : store.putStream(key, pieces(bytes)));
    writeSync(1, `${key} ${bytes.length}\n`);
  }
}
await Promise.all(Array.from({ length: 4 }, (_, worker) => work(worker)));
