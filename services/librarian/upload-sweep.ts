import { uploadKey } from '../ports/catalog/librarian-store.js';
import type { SweepPorts } from './sweep.js';

const atOnce = 500;

/**
 * Removes uploads that no version refers to: of callers who left between the upload and the command. Only those older
 * than `before`, which must lie before the start of a drain pass that has ended: then every command that names one has
 * been handled. Streamed uploads that never ended go, too. Returns how many went.
 */
export async function sweepUploads(
  { blobStore, librarianStore }: Pick<SweepPorts, 'blobStore' | 'librarianStore'>,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  let removed = await blobStore.abortUploads(before, signal);
  const remove = async (
    old: readonly { readonly key: string; workspace: string; uploadId: string }[],
  ): Promise<void> => {
    const referenced = await librarianStore.referencedUploads(old);
    const unwanted = old.filter(({ workspace, uploadId }) => !referenced.has(uploadKey(workspace, uploadId)));
    await blobStore.delete(unwanted.map(({ key }) => key));
    removed += unwanted.length;
  };
  for (const workspace of await librarianStore.workspaces()) {
    const prefix = `${workspace}/sources/`;
    let old: { key: string; workspace: string; uploadId: string }[] = [];
    for await (const { key, modifiedAt } of blobStore.list(prefix)) {
      if (signal?.aborted === true) return removed;
      if (modifiedAt < before) old.push({ key, workspace, uploadId: key.slice(prefix.length) });
      if (old.length < atOnce) continue;
      await remove(old);
      old = [];
    }
    await remove(old);
  }
  return removed;
}
