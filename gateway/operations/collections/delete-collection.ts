import { randomUUID } from 'node:crypto';
import { topics } from '../../../schema/topics.js';
import { output } from '../../../services/runtime/processor.js';
import type { Submitted } from '../../client/types.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import type { Call, GatewayContext } from '../context.js';
import { requireCollection } from './require-collection.js';

/** Begins to delete a collection with all its documents. Throws collection-not-found. */
export async function deleteCollection(
  context: GatewayContext,
  call: Call,
  { collection }: { collection: string },
): Promise<Submitted> {
  const { workspace } = call.caller;
  requireUnfiltered(call.caller, 'delete a collection');
  const { id } = await requireCollection(context, call, collection);
  const operation = await context.ports.catalog.createOperation({
    id: randomUUID(),
    kind: 'delete-collection',
    workspace,
    collection: id,
    documentId: '',
  });
  const command = { kind: 'delete-collection', workspace, collection: id };
  await context.publisher.publish([
    output(topics.documentCommands, command, { 'message-id': operation.id, workspace }),
  ]);
  return { document_id: '', operation_id: operation.id, collection: id, state: operation.state };
}
