import { randomUUID } from 'node:crypto';
import { topics } from '../../../schema/topics.js';
import { documentId } from '../../../services/domain/identity.js';
import { output } from '../../../services/runtime/processor.js';
import type { Submitted } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import { requireCollection } from '../collections/require-collection.js';
import type { Call, GatewayContext } from '../context.js';
import type { DocumentReference } from './read.js';

/** Begins to delete a document; nothing there is not an error. Throws collection-not-found, invalid-argument. */
export async function deleteDocument(
  context: GatewayContext,
  call: Call,
  request: DocumentReference,
): Promise<Submitted> {
  requireUnfiltered(call.caller, 'delete a document');
  const { workspace } = call.caller;
  const id = documentId(request.document_id);
  const collection = await requireCollection(context, call, request.collection);
  const key = { workspace, collection: collection.id, documentId: id };
  const operation = await context.ports.catalog.createOperation({ ...key, id: randomUUID(), kind: 'delete' });
  await context.publisher.publish([
    output(
      topics.documentCommands,
      { kind: 'delete', workspace, collection: collection.id, document_id: id },
      { 'message-id': operation.id, workspace },
    ),
  ]);
  return { document_id: id, operation_id: operation.id, collection: collection.id, state: operation.state };
}
