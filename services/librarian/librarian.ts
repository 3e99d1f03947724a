import { Type } from '@sinclair/typebox';
import { topics } from '../../schema/topics.js';
import { errorInfo } from '../domain/errors.js';
import type { DocumentKey } from '../domain/identity.js';
import type { ChangeRequest, CollectionChange, PageRequest } from '../ports/catalog/librarian-store.js';
import { crashPoint } from '../runtime/crash-points.js';
import { defineProcessor, output } from '../runtime/processor.js';
import { batchItem, documentOf, purgedVersion, type BatchItem } from './batch-item.js';
import { dropUploads, removePurgedBlobs } from './blobs.js';
import { fold } from './fold.js';
import { outputTopics } from './outputs.js';

const librarianConfig = Type.Object({
  batchMaxItems: Type.Integer({
    description: 'How many commands are decided and written in one transaction at most.',
    default: 256,
    minimum: 1,
    maximum: 10_000,
  }),
  batchLingerMs: Type.Integer({
    description: 'How long the first command of a batch waits for others.',
    default: 5,
    minimum: 0,
    maximum: 1_000,
  }),
  batchBusyLingerMs: Type.Integer({
    description: 'The same while many commands come.',
    default: 40,
    minimum: 0,
    maximum: 1_000,
  }),
  deletionPageSize: Type.Integer({
    description: 'How many documents one step of a collection’s deletion covers.',
    default: 500,
    minimum: 1,
    maximum: 5_000,
  }),
});

const maxBatchBytes = 8 * 1024 * 1024;

/** Decides about documents: the one writer of their rows, their states and what follows from them. */
export const librarian = defineProcessor({
  name: 'librarian',
  input: topics.documentCommands,
  outputs: outputTopics,
  ports: ['catalog', 'librarianStore', 'blobStore'],
  config: librarianConfig,

  batch: ({ batchMaxItems, batchLingerMs, batchBusyLingerMs }) => ({
    maxItems: batchMaxItems,
    maxBytes: maxBatchBytes,
    lingerMs: batchLingerMs,
    busyLingerMs: batchBusyLingerMs,
  }),

  async handleBatch(deliveries, { config, ports, log }) {
    const items = deliveries.map(batchItem);
    await removePurgedBlobs(items, ports);
    const { outcomes, uploads } = await ports.librarianStore.change(
      changeRequest(items, config.deletionPageSize),
      (loaded) => {
        const change = fold(items, loaded);
        crashPoint('librarian.catalog-commit');
        if (change.collections.some(endsConversion)) crashPoint('librarian.flip');
        return change;
      },
    );
    crashPoint('librarian.after-commit');
    await dropUploads(uploads, ports, log);
    return outcomes;
  },

  // Only a submit has somebody who waits for it; what else ends here raises an alert.
  onDeadLetter({ value, headers }, error) {
    if (value.kind !== 'submit') return [];
    const { code, message } = errorInfo(error);
    return [
      output(topics.documentCommands, {
        kind: 'submit-failed',
        workspace: value.workspace,
        collection: value.collection,
        document_id: value.document_id,
        operation_id: headers['message-id'],
        // Its bytes stay until the sweep takes them, so that the letter can be replayed.
        upload_id: null,
        code,
        reason: message,
      }),
    ];
  },
});

function changeRequest(items: readonly BatchItem[], pageSize: number): ChangeRequest {
  const readable = items.filter((item) => item.error === undefined);
  const documents = new Map<string, DocumentKey>();
  const collections = new Map<string, { workspace: string; collection: string }>();
  for (const item of readable) {
    const { workspace, collection } = item.delivery.value;
    collections.set(`${workspace}/${collection}`, { workspace, collection });
    const key = documentOf(item);
    if (key !== undefined) documents.set(item.key, key);
  }
  const conversions = readable.filter(({ parsed }) => parsed?.kind.startsWith('conversion') === true);
  const walks = readable.flatMap((item) => {
    const page = pageOf(item);
    return page !== undefined
      ? [
          {
            command: item.command,
            workspace: item.delivery.value.workspace,
            collection: item.delivery.value.collection,
            ...page,
            limit: pageSize,
          },
        ]
      : [];
  });
  const purges = readable.filter((item) => purgedVersion(item) !== undefined).length;
  return {
    documents: [...documents.values()],
    collections: [...collections.values()],
    commands: readable.map((item) => item.command),
    pages: walks,
    countVersionsTo: purges + walks.length === 0 ? 0 : purges + 1,
    exclusive: conversions.length > 0,
  };
}

/** Whether a collection is done with its reindex or rechunk. */
const endsConversion = (change: CollectionChange): boolean =>
  change.change === 'convert' && change.state.conversion === null;

/** The page of documents that a collection-wide command goes over, if it does. */
function pageOf({ parsed }: BatchItem): Pick<PageRequest, 'after' | 'unsettled'> | undefined {
  if (parsed?.kind === 'delete-collection') return { after: parsed.cursor, unsettled: false };
  if (parsed?.kind !== 'conversion-walk') return undefined;
  return { after: parsed.walk.cursor, unsettled: parsed.walk.of === 'unsettled' };
}
