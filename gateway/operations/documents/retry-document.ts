import { randomUUID } from 'node:crypto';
import { topics } from '../../../schema/topics.js';
import { documentId, type DocumentKey } from '../../../services/domain/identity.js';
import type { OperationRecord } from '../../../services/ports/catalog/port.js';
import { output } from '../../../services/runtime/processor.js';
import type { Submitted } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import { requireActiveCollection } from '../collections/require-collection.js';
import type { Call, GatewayContext } from '../context.js';
import type { DocumentReference } from './read.js';

/**
 * Puts the newest version of a document to work again where it failed; if it has not failed, the operation ends
 * `stale`. Throws collection-not-found, collection-deleting, invalid-argument.
 */
export async function retryDocument(
  context: GatewayContext,
  call: Call,
  request: DocumentReference,
): Promise<Submitted> {
  requireUnfiltered(call.caller, 'retry a document');
  const id = documentId(request.document_id);
  const collection = await requireActiveCollection(context, call, request.collection);
  const key = { workspace: call.caller.workspace, collection: collection.id, documentId: id };
  const operation = await publishRetry(context, key, randomUUID());
  return { document_id: id, operation_id: operation.id, collection: collection.id, state: operation.state };
}

/** Asks for a retry, of this version or of the newest, under this operation id. Resolves when that is durable. */
export async function publishRetry(
  { ports, publisher }: Pick<GatewayContext, 'ports' | 'publisher'>,
  key: DocumentKey,
  operationId: string,
  version?: { readonly number: number; readonly hash: string },
): Promise<OperationRecord> {
  const { workspace, collection, documentId } = key;
  const operation = await ports.catalog.createOperation({ ...key, id: operationId, kind: 'retry' });
  await publisher.publish([
    output(
      topics.documentCommands,
      {
        ...{ kind: 'retry', workspace, collection, document_id: documentId },
        ...(version === undefined ? {} : { version: version.number, version_hash: version.hash }),
      },
      { 'message-id': operation.id, workspace },
    ),
  ]);
  return operation;
}
