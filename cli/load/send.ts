import { randomUUID } from 'node:crypto';
import { SluiceApiError, type SluiceApi, type Submitted } from '../../gateway/client/client.js';
import { hashFile, stampOf } from './file-stamp.js';
import type { Known } from './known.js';
import type { Ledger } from './ledger.js';
import type { Outstanding } from './outstanding.js';
import type { Patience } from './patience.js';
import { optionsKey, type LoadItem, type LoadPlan } from './plan.js';
import { systemReason } from '../system-reason.js';
import type { Tally } from './tally.js';

export interface Sending {
  readonly client: SluiceApi;
  readonly plan: LoadPlan;
  readonly ledger: Ledger;
  readonly known: Known;
  readonly outstanding: Outstanding;
  readonly tally: Tally;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  onSent(bytes: number): void;
}

/** Errors that every other document of the load would meet as well: the load ends with them. */
const endsTheLoad = new Set([
  'unreachable',
  'unavailable',
  'unauthorized',
  'forbidden',
  'workspace-required',
  'collection-not-found',
  'collection-deleting',
  'space-mismatch',
  'spec-mismatch',
  'storage-full',
  'installation-mismatch',
  'configuration-invalid',
]);

/**
 * Brings one document to the server, unless it is remembered and there. A document that fails alone is told to the
 * tally; throws what ends the whole load.
 */
export async function sendItem(sending: Sending, item: LoadItem): Promise<void> {
  try {
    await bring(sending, item);
  } catch (error) {
    sending.signal.throwIfAborted();
    if (error instanceof SluiceApiError) {
      if (endsTheLoad.has(error.code)) throw error;
      sending.tally.fail(item.label, error.code, error.message);
    } else {
      sending.tally.fail(item.label, 'unreadable', systemReason(error));
    }
  }
}

async function bring(sending: Sending, item: LoadItem): Promise<void> {
  const { plan, ledger, known, outstanding, tally, patience } = sending;
  const stamp = await stampOf(item.path);
  const options = optionsKey(plan, item);
  const remembered = item.source === undefined ? undefined : ledger.get(item.source);
  if (!plan.force && remembered?.fingerprint === stamp.fingerprint && remembered.options === options) {
    const state = await patience.with(() => known.stateOf(remembered));
    if (state === 'ready') {
      tally.unchanged();
      return;
    }
    if (state === 'accepted') {
      sending.onSent(0);
      outstanding.add(remembered.operationId, remembered.documentId, item.label, 0);
      return;
    }
  }
  const contentHash = await hashFile(item.path, sending.signal);
  const submitted = await submit(sending, item, stamp.modified);
  sending.onSent(stamp.sizeBytes);
  outstanding.add(submitted.operation_id, submitted.document_id, item.label, Date.now());
  if (item.source === undefined || !stamp.settled) return;
  // Read while it was being written: nobody knows which of its states was sent.
  if ((await stampOf(item.path)).fingerprint !== stamp.fingerprint) return;
  ledger.note(item.source, {
    fingerprint: stamp.fingerprint,
    options,
    documentId: submitted.document_id,
    operationId: submitted.operation_id,
    contentHash,
  });
}

function submit(sending: Sending, item: LoadItem, modified: Date): Promise<Submitted> {
  const { client, plan, patience, signal } = sending;
  const contentType = plan.contentType ?? item.contentType;
  const tags = plan.tags ?? item.tags;
  const idempotencyKey = randomUUID();
  return patience.with(() =>
    client.putDocument(
      {
        collection: plan.collection,
        body: { file: item.path },
        idempotencyKey,
        file_time: modified.toISOString(),
        ...(item.source === undefined ? {} : { source: item.source }),
        ...(item.documentId === undefined ? {} : { document_id: item.documentId }),
        ...(contentType === undefined ? {} : { content_type: contentType }),
        ...(plan.title === undefined ? {} : { title: plan.title }),
        ...(tags === undefined ? {} : { tags: [...tags] }),
        ...(plan.metadata === undefined ? {} : { metadata: writable(plan.metadata) }),
        ...(plan.flow === undefined ? {} : { flow: plan.flow }),
        ...(plan.force ? { force: true } : {}),
        ...(plan.expectedSpace === undefined ? {} : { expected_space: plan.expectedSpace }),
        ...(plan.expectedChunkSize === undefined ? {} : { expected_chunk_size: plan.expectedChunkSize }),
        ...(plan.expectedChunkOverlap === undefined ? {} : { expected_chunk_overlap: plan.expectedChunkOverlap }),
      },
      { signal },
    ),
  );
}

/** The client's own type of metadata has lists that may be written to. */
const writable = (metadata: NonNullable<LoadPlan['metadata']>) =>
  Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      key,
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : [...value],
    ]),
  );
