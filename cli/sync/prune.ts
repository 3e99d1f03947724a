import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SluiceApiError, type Document } from '../../gateway/client/client.js';
import type { Failure } from '../load/tally.js';
import type { SyncRequest } from './request.js';

/** Deletes documents whose files are gone, a few at a time, and waits until each is. */
export async function pruneGone(
  { client, collection, concurrency, signal }: SyncRequest,
  documents: readonly Document[],
): Promise<{ readonly deleted: number; readonly failed: readonly Failure[] }> {
  let deleted = 0;
  const failed: Failure[] = [];
  const queue = documents[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (const { document_id, source } of queue) {
      if (await isBack(source ?? '')) continue;
      try {
        const submitted = await client.deleteDocument(collection, document_id, { signal });
        const { state, code, reason } = await client.waitForOperation(submitted.operation_id, { signal });
        if (state === 'deleted') deleted++;
        else
          failed.push({ source: source ?? document_id, code: code ?? state, reason: reason ?? 'it was not deleted' });
      } catch (error) {
        if (!(error instanceof SluiceApiError) || error.code === 'unreachable') throw error;
        failed.push({ source: source ?? document_id, code: error.code, reason: error.message });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { deleted, failed };
}

/** A file may have come back while the roots were read. */
const isBack = async (source: string): Promise<boolean> => {
  if (!source.startsWith('file:')) return false;
  return stat(fileURLToPath(source)).then(
    () => true,
    () => false,
  );
};
