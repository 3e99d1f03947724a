import { packSetFromBase64, packSetToBase64 } from '../../../domain/documents/pack-set.js';
import type { Version, VersionState } from '../../../domain/documents/state.js';
import type { DocumentKey } from '../../../domain/identity.js';
import { column } from './row.js';
import type { Row } from './sql-client.js';

/** A row of `versions` as the librarian decides about it. */
export function versionOfRow(row: Row): Version {
  const confirmed = Object.entries(column.json<Record<string, string>>(row, 'confirmed'));
  return {
    version: column.integer(row, 'version'),
    versionHash: column.text(row, 'version_hash'),
    state: column.json<VersionState>(row, 'state'),
    purgeBegun: column.boolean(row, 'purge_begun'),
    uploadId: column.text(row, 'upload_id'),
    contentHash: column.text(row, 'content_hash'),
    sizeBytes: column.integer(row, 'size_bytes'),
    givenType: column.textOrNull(row, 'given_type'),
    decodedType: column.textOrNull(row, 'decoded_type'),
    givenTitle: column.textOrNull(row, 'given_title'),
    decodedTitle: column.textOrNull(row, 'decoded_title'),
    source: column.textOrNull(row, 'source'),
    tags: column.texts(row, 'tags'),
    givenAttributes: column.json(row, 'given_attributes'),
    decodedAttributes: column.json(row, 'decoded_attributes'),
    attributeRevision: column.integer(row, 'attribute_revision'),
    pointsOutdated: column.boolean(row, 'points_outdated'),
    fileTime: column.millisecondsOrNull(row, 'file_time'),
    flow: column.text(row, 'flow'),
    textSha256: column.textOrNull(row, 'text_sha256'),
    textBytes: column.integerOrNull(row, 'text_bytes'),
    packs: column.integerOrNull(row, 'packs'),
    chunks: column.integerOrNull(row, 'chunks'),
    chunkerSpec: column.json(row, 'chunker_spec'),
    confirmed: Object.fromEntries(confirmed.map(([space, packs]) => [space, packSetFromBase64(packs)])),
    windowed: column.json(row, 'windowed'),
    behind: column.json(row, 'behind'),
    redrives: column.integer(row, 'redrives'),
    stage: column.textOrNull(row, 'stage'),
    code: column.textOrNull(row, 'code'),
    reason: column.textOrNull(row, 'reason'),
    operations: column.texts(row, 'operations'),
    createdAt: column.milliseconds(row, 'created_at'),
    updatedAt: column.milliseconds(row, 'updated_at'),
    liveSince: column.millisecondsOrNull(row, 'live_since'),
    supersededAt: column.millisecondsOrNull(row, 'superseded_at'),
  };
}

const time = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString();

/** Columns that a version is made with; then those that change. */
const made = {
  workspace: 'text',
  collection: 'text',
  document_id: 'text',
  version: 'bigint',
  version_hash: 'text',
  upload_id: 'text',
  content_hash: 'text',
  size_bytes: 'bigint',
  given_type: 'text',
  chunker_spec: 'jsonb',
  created_at: 'timestamptz',
} as const;

const changing = {
  state: 'text',
  purge_begun: 'boolean',
  decoded_type: 'text',
  given_title: 'text',
  decoded_title: 'text',
  source: 'text',
  tags: 'text[]',
  given_attributes: 'jsonb',
  decoded_attributes: 'jsonb',
  attribute_revision: 'bigint',
  points_outdated: 'boolean',
  file_time: 'timestamptz',
  flow: 'text',
  text_sha256: 'text',
  text_bytes: 'bigint',
  packs: 'bigint',
  chunks: 'bigint',
  confirmed: 'jsonb',
  windowed: 'jsonb',
  behind: 'jsonb',
  redrives: 'integer',
  stage: 'text',
  code: 'text',
  reason: 'text',
  operations: 'text[]',
  updated_at: 'timestamptz',
  live_since: 'timestamptz',
  superseded_at: 'timestamptz',
} as const;

type ColumnName = keyof typeof made | keyof typeof changing;

const types = { ...made, ...changing };
const names = Object.keys(types).join(', ');

/** Writes an array of rows, given as JSON in a parameter. What a sweep claimed is answered with that. */
export const writeVersions = (parameter: string): string => `
  insert into versions (${names})
  select ${names} from jsonb_to_recordset(${parameter}::jsonb)
    as r (${Object.entries(types)
      .map(([name, type]) => `${name} ${type}`)
      .join(', ')})
  on conflict (workspace, collection, document_id, version) do update set claimed_until = null,
    ${Object.keys(changing)
      .map((name) => `${name} = excluded.${name}`)
      .join(', ')}`;

export function rowOfVersion(key: DocumentKey, version: Version): Record<ColumnName, unknown> {
  const confirmed = Object.entries(version.confirmed);
  return {
    workspace: key.workspace,
    collection: key.collection,
    document_id: key.documentId,
    version: version.version,
    version_hash: version.versionHash,
    state: version.state,
    purge_begun: version.purgeBegun,
    upload_id: version.uploadId,
    content_hash: version.contentHash,
    size_bytes: version.sizeBytes,
    given_type: version.givenType,
    decoded_type: version.decodedType,
    given_title: version.givenTitle,
    decoded_title: version.decodedTitle,
    source: version.source,
    tags: version.tags,
    given_attributes: version.givenAttributes,
    decoded_attributes: version.decodedAttributes,
    attribute_revision: version.attributeRevision,
    points_outdated: version.pointsOutdated,
    file_time: time(version.fileTime),
    flow: version.flow,
    text_sha256: version.textSha256,
    text_bytes: version.textBytes,
    packs: version.packs,
    chunks: version.chunks,
    chunker_spec: version.chunkerSpec,
    confirmed: Object.fromEntries(confirmed.map(([space, packs]) => [space, packSetToBase64(packs)])),
    windowed: version.windowed,
    behind: version.behind,
    redrives: version.redrives,
    stage: version.stage,
    code: version.code,
    reason: version.reason,
    operations: version.operations,
    created_at: time(version.createdAt),
    updated_at: time(version.updatedAt),
    live_since: time(version.liveSince),
    superseded_at: time(version.supersededAt),
  };
}
