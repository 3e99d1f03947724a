import { SluiceError } from '../../../services/domain/errors.js';
import { documentId, type DocumentKey } from '../../../services/domain/identity.js';
import type { DocumentRecord } from '../../../services/ports/catalog/port.js';
import type { Document } from '../../client/types.js';
import { requireCollection } from '../collections/require-collection.js';
import type { Call, Caller, GatewayContext } from '../context.js';
import { acceptedDocumentView, documentView } from '../views/document.js';
import { visible } from '../../access/visible.js';

export interface DocumentReference {
  readonly collection: string;
  readonly document_id: string;
}

/** Where a document stands. One just submitted is pending. Throws collection-not-found, document-not-found. */
export async function getDocument(
  context: GatewayContext,
  call: Call,
  reference: DocumentReference,
): Promise<Document> {
  const key = await keyOf(context, call, reference);
  const document = await context.ports.catalog.document(key);
  if (document !== undefined && isShown(call.caller, document)) return documentView(document);
  const operation = await context.ports.catalog.latestOperation(key);
  const pending = document === undefined && operation?.kind === 'submit' && operation.state === 'accepted';
  if (pending && call.caller.required === undefined) return acceptedDocumentView(operation);
  throw documentNotFound(reference);
}

/** The record of a document that exists. Throws collection-not-found, document-not-found. */
export async function requireDocument(
  context: GatewayContext,
  call: Call,
  reference: DocumentReference,
): Promise<DocumentRecord> {
  const document = await context.ports.catalog.document(await keyOf(context, call, reference));
  if (document !== undefined && isShown(call.caller, document)) return document;
  throw documentNotFound(reference);
}

async function keyOf(context: GatewayContext, call: Call, reference: DocumentReference): Promise<DocumentKey> {
  const id = documentId(reference.document_id);
  const collection = await requireCollection(context, call, reference.collection);
  return { workspace: call.caller.workspace, collection: collection.id, documentId: id };
}

/** Whether the caller may see the document: every version that answers or is to answer. */
export const isShown = (caller: Caller, { live, newest }: DocumentRecord): boolean =>
  [live, newest].every((version) => version === null || visible(caller, version));

const documentNotFound = ({ collection, document_id }: DocumentReference): SluiceError =>
  new SluiceError('document-not-found', `there is no document "${document_id}" in collection "${collection}"`);
