import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import type { SluiceApi } from '../../gateway/client/client.js';
import type { BenchDocument } from './documents.js';

/** What loading documents took, from the first byte sent until the last document was ready. */
export interface Load {
  readonly documents: number;
  readonly chunks: number;
  readonly seconds: number;
  /** Of all threads of this process, which server and client share. */
  readonly cpuSeconds: number;
}

const sendersAtOnce = 8;
// Each look costs the catalog three queries.
const pollMs = 500;

/** Sends documents, eight at a time. */
export async function send(client: SluiceApi, collection: string, documents: readonly BenchDocument[]): Promise<void> {
  const waiting = documents.values();
  const sendNext = async (): Promise<void> => {
    for (const { id, body } of waiting) {
      await client.putDocument({ collection, document_id: id, body, content_type: 'text/markdown' });
    }
  };
  await Promise.all(Array.from({ length: sendersAtOnce }, sendNext));
}

/** Resolves when no document is under way; throws if one failed. */
export async function allReady(client: SluiceApi): Promise<void> {
  for (;;) {
    const { documents } = await client.status();
    if (documents.failed > 0) throw new Error(`${documents.failed} documents failed`);
    if (documents.pending + documents.processing === 0) return;
    await after(pollMs);
  }
}

async function ingest(client: SluiceApi, collection: string, { id, body }: BenchDocument): Promise<void> {
  const input = { collection, document_id: id, body, content_type: 'text/markdown' };
  const { state } = await client.ingestDocument(input);
  if (state !== 'ready') throw new Error(`document ${id} is ${state}`);
}

/** Loads documents into a collection and measures it. */
export async function load(client: SluiceApi, collection: string, documents: readonly BenchDocument[]): Promise<Load> {
  const chunksBefore = (await client.status()).chunks;
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const [only] = documents;
  // One document is waited for, so that no looks are counted among its requests.
  if (only !== undefined && documents.length === 1) await ingest(client, collection, only);
  else {
    await send(client, collection, documents);
    await allReady(client);
  }
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const chunks = (await client.status()).chunks - chunksBefore;
  return { documents: documents.length, chunks, seconds, cpuSeconds: (user + system) / 1e6 };
}
