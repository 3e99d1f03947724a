import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * SHA-256 of what makes a model's vectors: its tokenizer and its weights, with the data that large ones keep beside
 * them. Where the model lies and what its folder is called does not count.
 */
export async function contentDigest(folder: string, file: string): Promise<string> {
  const weights = path.join(folder, file);
  const beside = (await readdir(path.dirname(weights))).filter((name) =>
    name.startsWith(`${path.basename(file)}_data`),
  );
  const data = beside.sort().map((name) => path.join(path.dirname(weights), name));
  const total = createHash('sha256');
  for (const name of [path.join(folder, 'tokenizer.json'), weights, ...data]) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(name, { highWaterMark: 1 << 20 }), hash);
    total.update(hash.digest());
  }
  return total.digest('hex');
}
