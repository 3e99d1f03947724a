import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SluiceClient } from '../../gateway/client/client.js';
import { allReady, send } from '../bench/load.js';
import { startServer, withFolder } from '../journeys/server.js';
import { largeText, smallDocuments } from './made-documents.js';
import { peakResidentBytes } from './resident-memory.js';

const megabyte = 1e6;
/** LONG_TEST_SHARE=0.2 runs these with a fifth of everything, where time is short. */
const share = Number(process.env['LONG_TEST_SHARE'] ?? 1);

it(`takes in a text of ${200 * share} MB within 1 GB of memory`, async () => {
  await withFolder(async (folder) => {
    const server = await startServer(join(folder, 'data'));
    const file = join(folder, 'large.txt');
    await writeFile(file, largeText(200 * share * megabyte));
    const client = new SluiceClient({ url: server.url, timeoutMs: 600_000 });
    const body = { file };
    const large = { collection: 'default', document_id: 'large', body, content_type: 'text/plain' };
    const done = await client.ingestDocument(large, { timeoutMs: 1_700_000 });
    const peak = peakResidentBytes(server.process.pid);
    process.stdout.write(`${200 * share} MB, ${done.chunk_count} chunks: peak ${(peak / megabyte).toFixed(0)} MB\n`);
    await client.close();
    await server.stop();
    expect(done.state).toBe('ready');
    expect(peak).toBeLessThan(1000 * megabyte);
  });
});

it(`needs at most 150 MB more for ${100_000 * share} small documents than for a tenth of them`, async () => {
  await withFolder(async (folder) => {
    const server = await startServer(join(folder, 'data'));
    await server.client.createCollection({ collection: 'small' });
    const documents = smallDocuments(100_000 * share);
    const peaks: number[] = [];
    for (const part of [documents.slice(0, documents.length / 10), documents.slice(documents.length / 10)]) {
      await send(server.client, 'small', part);
      await allReady(server.client);
      peaks.push(peakResidentBytes(server.process.pid));
    }
    const [few = NaN, many = NaN] = peaks;
    process.stdout.write(
      `${documents.length / 10} and ${documents.length} documents: peaks ${few / 1e6} and ${many / 1e6} MB\n`,
    );
    await server.stop();
    expect(many - few).toBeLessThan(150 * megabyte);
  });
});
