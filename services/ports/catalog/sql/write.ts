import { liveVersion, newestVersion, type DocumentState } from '../../../domain/documents/state.js';
import { documentKeyString, type DocumentKey } from '../../../domain/identity.js';
import type { Change, CollectionChange, Loaded } from '../librarian-store.js';
import { keyColumns } from './key-columns.js';
import type { SqlSession } from './sql-client.js';
import { writeConversion } from './conversions.js';
import { rowOfVersion, writeVersions } from './version-row.js';

/** Writes what a batch has decided: documents, versions, outcomes and handled commands in one statement. */
export async function write(session: SqlSession, loaded: Loaded, change: Change<unknown>): Promise<void> {
  const now = new Date(loaded.now).toISOString();
  const { documents } = change;
  const { written, gone } = versionChanges(loaded, documents);
  await session.query(writeStatement, [
    now,
    ...keyColumns(documents.map((document) => document.key)),
    documents.map((document) => document.seq),
    documents.map((document) => document.lastVersion),
    documents.map((document) => liveVersion(document)?.version ?? null),
    documents.map((document) => newestVersion(document)?.version ?? null),
    documents.map((document) => newestVersion(document)?.state ?? null),
    ...keyColumns(gone),
    gone.map((each) => each.version),
    JSON.stringify(written),
    JSON.stringify(outcomeRows(change)),
    JSON.stringify(
      change.handled.map(({ command, outputs }) => ({
        id: command,
        outputs: outputs.length === 0 ? undefined : outputs,
      })),
    ),
  ]);
  for (const each of change.collections) await writeCollection(session, each, now);
}

const writeStatement = `
  with written_documents as (
    insert into documents (workspace, collection, document_id, seq, last_version, live_version, newest_version,
      newest_state, created_at, updated_at)
    select k.*, $1::timestamptz, $1::timestamptz
    from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[]) as k
    on conflict (workspace, collection, document_id) do update set
      seq = excluded.seq, last_version = excluded.last_version, live_version = excluded.live_version,
      newest_version = excluded.newest_version, newest_state = excluded.newest_state, updated_at = excluded.updated_at,
      created_at = case when documents.newest_version is null then excluded.created_at else documents.created_at end
  ), gone_versions as (
    delete from versions v using unnest($10::text[], $11::text[], $12::text[], $13::bigint[])
      as k (workspace, collection, document_id, version)
    where v.workspace = k.workspace and v.collection = k.collection and v.document_id = k.document_id
      and v.version = k.version
  ), written_versions as (
    ${writeVersions('$14')}
  ), written_outcomes as (
    insert into operations as o (id, workspace, collection, document_id, kind, state, version, chunk_count, unchanged,
      replaced, code, reason, created_at, updated_at)
    select r.*, $1::timestamptz, $1::timestamptz
    from jsonb_to_recordset($15::jsonb) as r (id text, workspace text, collection text, document_id text, kind text,
      state text, version bigint, chunk_count bigint, unchanged boolean, replaced bigint, code text, reason text)
    on conflict (id) do update set state = excluded.state, version = coalesce(excluded.version, o.version),
      chunk_count = coalesce(excluded.chunk_count, o.chunk_count), unchanged = excluded.unchanged,
      replaced = coalesce(excluded.replaced, o.replaced), code = excluded.code, reason = excluded.reason,
      updated_at = excluded.updated_at
    where o.workspace = excluded.workspace
  )
  insert into handled_commands (id, outputs, handled_at)
  select r.id, r.outputs, $1::timestamptz from jsonb_to_recordset($16::jsonb) as r (id uuid, outputs jsonb)`;

/** The versions that differ from what was loaded, as rows, and those that are there no more. */
function versionChanges(loaded: Loaded, documents: readonly DocumentState[]) {
  const written: unknown[] = [];
  const gone: (DocumentKey & { readonly version: number })[] = [];
  for (const document of documents) {
    const before = loaded.documents.get(documentKeyString(document.key))?.versions ?? [];
    const standing = new Map(before.map((version) => [version.version, version]));
    for (const version of document.versions) {
      if (standing.get(version.version) !== version) written.push(rowOfVersion(document.key, version));
      standing.delete(version.version);
    }
    for (const version of standing.keys()) gone.push({ ...document.key, version });
  }
  return { written, gone };
}

async function writeCollection(session: SqlSession, change: CollectionChange, now: string): Promise<void> {
  if (change.change === 'convert') return writeConversion(session, change, now);
  const key = [change.workspace, change.collection];
  if (change.change === 'remove') {
    await session.query('delete from collections where workspace = $1 and id = $2', key);
    return;
  }
  await session.query(
    `update collections set state = 'deleting', deletion_operations = $3::text[], deletion_walked = $4,
       updated_at = $5::timestamptz
     where workspace = $1 and id = $2`,
    [...key, change.deletion.operations, change.deletion.walked, now],
  );
}

/** Of two outcomes of one operation the last. A caller that noted no operation before it published finds one all the same. */
function outcomeRows(change: Change<unknown>): readonly unknown[] {
  const last = new Map(change.outcomes.map((each) => [each.outcome.operation, each]));
  return [...last.values()].map(({ outcome, ...each }) => ({
    id: outcome.operation,
    workspace: each.workspace,
    collection: each.collection,
    document_id: each.documentId,
    kind: each.kind,
    state: outcome.state,
    version: outcome.version,
    chunk_count: outcome.chunkCount,
    unchanged: outcome.unchanged,
    replaced: outcome.replaced,
    code: outcome.code,
    reason: outcome.reason,
  }));
}
