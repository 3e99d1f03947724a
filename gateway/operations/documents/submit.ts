import { randomUUID } from 'node:crypto';
import { topics } from '../../../schema/topics.js';
import { SluiceError } from '../../../services/domain/errors.js';
import {
  documentId,
  documentIdOfContent,
  documentIdOfSource,
  documentKeyString,
  uuidOf,
  type DocumentKey,
} from '../../../services/domain/identity.js';
import type { OperationRecord } from '../../../services/ports/catalog/port.js';
import { output } from '../../../services/runtime/processor.js';
import type { SubmitOptions, Submitted } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import { requireActiveCollection } from '../collections/require-collection.js';
import type { Call, GatewayContext } from '../context.js';
import { checkPins } from './pins.js';
import { requireWellFormed } from './require-well-formed.js';
import { receiveUpload, type Upload } from './upload.js';

export interface SubmitRequest extends SubmitOptions {
  readonly collection: string;
  readonly document_id?: string;
  /** The same key in the same workspace is the same operation, however often it is sent. */
  readonly idempotency_key?: string;
}

/**
 * Takes a document in: its bytes into the blob store, then an operation, then the command. Resolves when the command is
 * durable. Throws before a byte is read: collection-not-found, collection-deleting, space-mismatch, spec-mismatch,
 * invalid-argument; then what receiveUpload throws.
 */
export async function submitDocument(
  context: GatewayContext,
  call: Call,
  request: SubmitRequest,
  body: AsyncIterable<Uint8Array>,
): Promise<Submitted> {
  requireUnfiltered(call.caller, 'add a document');
  const { workspace } = call.caller;
  const collection = await requireActiveCollection(context, call, request.collection);
  const given = givenId(collection.id, request);
  const { title, source, content_type, tags, metadata, flow } = request;
  requireWellFormed('the request', { title, source, content_type, tags, metadata, flow });
  checkPins(collection, context.ports.embeddingModels, request);

  const upload = await receiveUpload(context, call, body);
  const key = {
    workspace,
    collection: collection.id,
    documentId: given ?? documentIdOfContent(collection.id, upload.contentHash),
  };
  const operation = await accept(context, call, key, request.idempotency_key).catch(async (error: unknown) => {
    await discard(context, upload);
    throw error;
  });
  if (operation.state === 'accepted') await publish(context, key, operation, request, upload);
  else await discard(context, upload); // the same call has come before, and all is done
  return {
    document_id: key.documentId,
    operation_id: operation.id,
    collection: key.collection,
    state: operation.state,
  };
}

function givenId(collection: string, { document_id, source }: SubmitRequest): string | undefined {
  if (document_id !== undefined) return documentId(document_id);
  return source === undefined || source === '' ? undefined : documentIdOfSource(collection, source);
}

/** Notes the operation, so that reads know of the document before the librarian does. */
async function accept(
  { ports }: GatewayContext,
  { signal }: Call,
  key: DocumentKey,
  idempotencyKey: string | undefined,
): Promise<OperationRecord> {
  signal.throwIfAborted();
  const id = idempotencyKey === undefined ? randomUUID() : uuidOf(`operation\0${key.workspace}\0${idempotencyKey}`);
  const operation = await ports.catalog.createOperation({ ...key, id, kind: 'submit' });
  if (documentKeyString(operation) === documentKeyString(key) && operation.kind === 'submit') return operation;
  throw new SluiceError(
    'invalid-argument',
    `idempotency key "${idempotencyKey ?? ''}" was used for another document: use a new key for each call`,
  );
}

const discard = ({ ports }: GatewayContext, upload: Upload): Promise<void> => ports.blobStore.delete([upload.key]);

/** A command that may or may not have gone out leaves its upload: the sweep removes it if nothing refers to it. */
const publish = (
  { publisher }: GatewayContext,
  key: DocumentKey,
  operation: OperationRecord,
  request: SubmitRequest,
  upload: Upload,
): Promise<void> =>
  publisher.publish([
    output(
      topics.documentCommands,
      {
        kind: 'submit',
        workspace: key.workspace,
        collection: key.collection,
        document_id: key.documentId,
        upload_id: upload.id,
        content_hash: upload.contentHash,
        size_bytes: upload.sizeBytes,
        title: request.title ?? null,
        source: request.source ?? null,
        content_type: request.content_type ?? null,
        attributes: request.metadata === undefined ? null : JSON.stringify(request.metadata),
        tags: request.tags ?? null,
        file_time: request.file_time === undefined ? null : Date.parse(request.file_time),
        flow: request.flow ?? 'default',
        force: request.force ?? false,
      },
      { 'message-id': operation.id, workspace: key.workspace, flow: request.flow ?? 'default' },
    ),
  ]);
