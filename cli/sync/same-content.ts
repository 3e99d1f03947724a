import type { Document } from '../../gateway/client/client.js';
import { hashFile, stampOf } from '../load/file-stamp.js';
import type { Ledger } from '../load/ledger.js';
import { agrees, fileItem, optionsKey, type LoadPlan } from '../load/plan.js';

/**
 * Whether the document is what the file and the plan say, and answers. The file's stamp (size, times, inode) spares
 * reading it; another size settles it unread; else the sha256 of all bytes decides. Beginnings and ends of files are
 * not compared: where they differ the file is read anyway, to be sent, and where they are equal nothing is proven.
 */
export async function isSame(
  path: string,
  document: Document,
  plan: LoadPlan,
  ledger: Ledger | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const { newest } = document;
  if (newest?.state !== 'ready' || !agrees(plan, document)) return false;
  const stamp = await stampOf(path);
  const item = fileItem(path);
  const source = item.source ?? '';
  const remembered = ledger?.get(source);
  if (remembered?.fingerprint === stamp.fingerprint && remembered.contentHash === newest.content_hash) return true;
  if (stamp.sizeBytes !== newest.size_bytes) return false;
  const contentHash = await hashFile(path, signal);
  if (contentHash !== newest.content_hash) return false;
  if (stamp.settled && (await stampOf(path)).fingerprint === stamp.fingerprint) {
    ledger?.note(source, {
      fingerprint: stamp.fingerprint,
      options: optionsKey(plan, item),
      documentId: document.document_id,
      operationId: '',
      contentHash,
    });
  }
  return true;
}
