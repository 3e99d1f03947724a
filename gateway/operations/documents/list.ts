import { SluiceError } from '../../../services/domain/errors.js';
import type { DocumentSelection } from '../../../services/ports/catalog/port.js';
import { requireUnfiltered } from '../../access/require-unfiltered.js';
import type { Attributes, DocumentPage, VersionState } from '../../client/types.js';
import { requireCollection } from '../collections/require-collection.js';
import type { Call, GatewayContext } from '../context.js';
import { documentView } from '../views/document.js';
import { isShown } from './read.js';

export interface SelectionRequest {
  readonly collection?: string;
  readonly state?: VersionState;
  readonly source?: string;
  readonly source_prefix?: string;
  readonly tag?: string;
  readonly attributes?: Attributes;
  readonly updated_from?: string;
  readonly updated_before?: string;
}

export interface ListRequest extends SelectionRequest {
  readonly after?: string;
  readonly limit?: number;
}

/**
 * One page of documents, in byte order of collection and id; with a source prefix, of source. Throws
 * collection-not-found, invalid-argument.
 */
export async function listDocuments(context: GatewayContext, call: Call, request: ListRequest): Promise<DocumentPage> {
  const { after, limit = 100, ...selection } = request;
  const query = { ...(await selectionOf(context, call, selection)), ...(after === undefined ? {} : { after }), limit };
  const page = await context.ports.catalog.documents(query);
  const shown = page.items.filter((document) => isShown(call.caller, document));
  return { documents: shown.map(documentView), next: page.next };
}

/** How many documents a listing would give. Throws collection-not-found, invalid-argument. */
export async function countDocuments(
  context: GatewayContext,
  call: Call,
  request: SelectionRequest,
): Promise<{ documents: number }> {
  requireUnfiltered(call.caller, 'count documents');
  return { documents: await context.ports.catalog.countDocuments(await selectionOf(context, call, request)) };
}

async function selectionOf(context: GatewayContext, call: Call, request: SelectionRequest): Promise<DocumentSelection> {
  const { source_prefix, updated_from, updated_before, ...same } = request;
  if (request.collection !== undefined) await requireCollection(context, call, request.collection);
  else if (source_prefix !== undefined) {
    throw new SluiceError('invalid-argument', 'source_prefix lists one collection by source: name the collection');
  }
  return {
    ...same,
    workspace: call.caller.workspace,
    ...(source_prefix === undefined ? {} : { sourcePrefix: source_prefix }),
    ...(updated_from === undefined ? {} : { updatedFrom: new Date(updated_from) }),
    ...(updated_before === undefined ? {} : { updatedBefore: new Date(updated_before) }),
  };
}
