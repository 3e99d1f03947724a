import type { DocumentEvent as Change, VersionStatus } from '../../../schema/generated.js';
import type { DocumentRecord, VersionRecord } from '../../../services/ports/catalog/port.js';
import type { DocumentEvent } from '../../client/types.js';

/** A published change as watchers see it. */
export const changeView = (change: Change, cursor: string): DocumentEvent => ({
  kind: 'document',
  collection: change.collection,
  document_id: change.document_id,
  seq: change.seq,
  at: new Date(change.at).toISOString(),
  deleted: change.deleted,
  live: change.live,
  newest: change.newest,
  operation: change.operation,
  cursor,
});

/** A document's present status in the same form. */
export const listedView = (document: DocumentRecord): DocumentEvent => ({
  kind: 'document',
  collection: document.collection,
  document_id: document.documentId,
  seq: document.seq,
  at: document.updatedAt.toISOString(),
  deleted: false,
  live: statusOf(document.live),
  newest: statusOf(document.newest),
  operation: null,
  cursor: null,
});

const statusOf = (version: VersionRecord | null): VersionStatus | null =>
  version && {
    version: version.version,
    version_hash: version.versionHash,
    state: version.state,
    content_hash: version.contentHash,
    chunks: version.chunks,
    stage: version.stage,
    code: version.code,
    reason: version.reason,
  };
