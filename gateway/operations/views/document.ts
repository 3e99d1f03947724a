import type { DocumentRecord, OperationRecord, VersionRecord } from '../../../services/ports/catalog/port.js';
import type { Attributes as ApiAttributes, Document, DocumentVersion, Operation } from '../../client/types.js';
import type { Attributes } from '../../../services/domain/attributes.js';

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** A version as callers see it. */
const versionView = (version: VersionRecord): DocumentVersion => ({
  version: version.version,
  version_hash: version.versionHash,
  state: version.state,
  content_hash: version.contentHash,
  size_bytes: version.sizeBytes,
  content_type: version.contentType,
  title: version.title,
  source: version.source,
  tags: [...version.tags],
  metadata: attributesView(version.attributes),
  file_time: iso(version.fileTime),
  flow: version.flow,
  text_bytes: version.textBytes,
  chunk_count: version.chunks,
  stage: version.stage,
  code: version.code,
  reason: version.reason,
  created_at: version.createdAt.toISOString(),
  updated_at: version.updatedAt.toISOString(),
  live_since: iso(version.liveSince),
});

const attributesView = (attributes: Attributes): ApiAttributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, typeof value === 'object' ? [...value] : value]),
  );

/** A document as callers see it. */
export function documentView(document: DocumentRecord): Document {
  const shown = document.newest ?? document.live;
  return {
    document_id: document.documentId,
    collection: document.collection,
    state: shown?.state ?? 'pending',
    title: shown?.title ?? null,
    source: shown?.source ?? null,
    live: document.live === null ? null : versionView(document.live),
    newest: document.newest === null ? null : versionView(document.newest),
    created_at: document.createdAt.toISOString(),
    updated_at: document.updatedAt.toISOString(),
  };
}

/** A document that is accepted, and that the librarian has not seen yet. */
export const acceptedDocumentView = (operation: OperationRecord): Document => ({
  document_id: operation.documentId,
  collection: operation.collection,
  state: 'pending',
  title: null,
  source: null,
  live: null,
  newest: null,
  created_at: operation.createdAt.toISOString(),
  updated_at: operation.updatedAt.toISOString(),
});

/** How an operation stands. */
export const operationView = (operation: OperationRecord): Operation => ({
  operation_id: operation.id,
  kind: operation.kind,
  document_id: operation.documentId,
  collection: operation.collection,
  state: operation.state,
  version: operation.version,
  chunk_count: operation.chunkCount,
  unchanged: operation.unchanged,
  replaced: operation.replaced,
  code: operation.code,
  reason: operation.reason,
  created_at: operation.createdAt.toISOString(),
  updated_at: operation.updatedAt.toISOString(),
});
