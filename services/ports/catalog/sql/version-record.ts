import type { Attributes } from '../../../domain/attributes.js';
import type { EmbeddingSpace } from '../../../domain/embedding-space.js';
import type { VersionState } from '../../../domain/documents/state.js';
import type { VersionRecord } from '../port.js';
import { column } from './row.js';
import type { Row } from './sql-client.js';

/** What a reader sees of versions `v`, with what their collection `c` has pinned. */
export const versionColumns = `
  v.workspace, v.collection, v.document_id, v.version, v.version_hash, v.state, v.purge_begun, v.upload_id,
    v.content_hash, v.size_bytes, coalesce(v.decoded_type, v.given_type) as content_type,
    coalesce(v.given_title, v.decoded_title) as title, v.source, v.tags,
    coalesce(v.decoded_attributes, '{}') || v.given_attributes as attributes, v.attribute_revision, v.file_time, v.flow,
    v.text_sha256, v.text_bytes, v.packs, v.chunks, v.chunker_spec, c.lexical, c.space, c.target_space, c.retired_spaces, v.stage, v.code,
    v.reason, v.created_at, v.updated_at, v.live_since, v.superseded_at`;

export const versionTables = 'versions v join collections c on c.workspace = v.workspace and c.id = v.collection';

export const versionSelect = `select ${versionColumns} from ${versionTables}`;

export function versionRecord(row: Row): VersionRecord {
  const space = column.json<EmbeddingSpace>(row, 'space');
  const target = column.json<EmbeddingSpace | null>(row, 'target_space');
  return {
    workspace: column.text(row, 'workspace'),
    collection: column.text(row, 'collection'),
    documentId: column.text(row, 'document_id'),
    version: column.integer(row, 'version'),
    versionHash: column.text(row, 'version_hash'),
    state: column.json<VersionState>(row, 'state'),
    purgeBegun: column.boolean(row, 'purge_begun'),
    uploadId: column.text(row, 'upload_id'),
    contentHash: column.text(row, 'content_hash'),
    sizeBytes: column.integer(row, 'size_bytes'),
    contentType: column.textOrNull(row, 'content_type'),
    title: column.textOrNull(row, 'title'),
    source: column.textOrNull(row, 'source'),
    tags: column.texts(row, 'tags'),
    attributes: column.json<Attributes>(row, 'attributes'),
    attributeRevision: column.integer(row, 'attribute_revision'),
    fileTime: column.timeOrNull(row, 'file_time'),
    flow: column.text(row, 'flow'),
    textSha256: column.textOrNull(row, 'text_sha256'),
    textBytes: column.integerOrNull(row, 'text_bytes'),
    packs: column.integerOrNull(row, 'packs'),
    chunks: column.integerOrNull(row, 'chunks'),
    chunkerSpec: column.json(row, 'chunker_spec'),
    lexical: column.json(row, 'lexical'),
    retiredSpaces: column.json(row, 'retired_spaces'),
    spaces: target === null ? [space] : [space, target],
    stage: column.textOrNull(row, 'stage'),
    code: column.textOrNull(row, 'code'),
    reason: column.textOrNull(row, 'reason'),
    createdAt: column.time(row, 'created_at'),
    updatedAt: column.time(row, 'updated_at'),
    liveSince: column.timeOrNull(row, 'live_since'),
    supersededAt: column.timeOrNull(row, 'superseded_at'),
  };
}
