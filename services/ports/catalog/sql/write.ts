import { liveVersion, newestVersion, type DocumentState } from '../../../domain/documents/state.js';
import { documentKeyString, type DocumentKey } from '../../../domain/identity.js';
import type { Change, CollectionChange, Loaded } from '../librarian-store.js';
import { keyColumns } from './key-columns.js';
import type { SqlSession } from './sql-client.js';
import { writeConversion } from './conversions.js';
import { rowOfVersion, writeVersions } from './version-row.js';

/** Writes what a batch has decided, each kind of row in one statement. */
export async function write(session: SqlSession, loaded: Loaded, change: Change<unknown>): Promise<void> {
  const now = new Date(loaded.now).toISOString();
  await writeDocuments(session, loaded, change.documents, now);
  for (const each of change.collections) await writeCollection(session, each, now);
  if (change.outcomes.length > 0) await writeOutcomes(session, change, now);
  if (change.handled.length > 0) {
    await session.query(
      `insert into handled_commands (id, outputs, handled_at)
       select r.id, r.outputs, $2::timestamptz from jsonb_to_recordset($1::jsonb) as r (id uuid, outputs jsonb)`,
      [
        JSON.stringify(
          change.handled.map(({ command, outputs }) => ({
            id: command,
            outputs: outputs.length === 0 ? undefined : outputs,
          })),
        ),
        now,
      ],
    );
  }
}

async function writeDocuments(
  session: SqlSession,
  loaded: Loaded,
  documents: readonly DocumentState[],
  now: string,
): Promise<void> {
  if (documents.length === 0) return;
  await session.query(
    `insert into documents (workspace, collection, document_id, seq, last_version, live_version, newest_version,
       newest_state, created_at, updated_at)
     select k.*, $9::timestamptz, $9::timestamptz
     from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[]) as k
     on conflict (workspace, collection, document_id) do update set
       seq = excluded.seq, last_version = excluded.last_version, live_version = excluded.live_version,
       newest_version = excluded.newest_version, newest_state = excluded.newest_state, updated_at = excluded.updated_at,
       created_at = case when documents.newest_version is null then excluded.created_at else documents.created_at end`,
    [
      ...keyColumns(documents.map((document) => document.key)),
      documents.map((document) => document.seq),
      documents.map((document) => document.lastVersion),
      documents.map((document) => liveVersion(document)?.version ?? null),
      documents.map((document) => newestVersion(document)?.version ?? null),
      documents.map((document) => newestVersion(document)?.state ?? null),
      now,
    ],
  );
  const rows: unknown[] = [];
  const gone: (DocumentKey & { readonly version: number })[] = [];
  for (const document of documents) {
    const before = loaded.documents.get(documentKeyString(document.key))?.versions ?? [];
    const standing = new Map(before.map((version) => [version.version, version]));
    for (const version of document.versions) {
      if (standing.get(version.version) !== version) rows.push(rowOfVersion(document.key, version));
      standing.delete(version.version);
    }
    for (const version of standing.keys()) gone.push({ ...document.key, version });
  }
  if (gone.length > 0) {
    await session.query(
      `delete from versions v using unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
           as k (workspace, collection, document_id, version)
       where v.workspace = k.workspace and v.collection = k.collection and v.document_id = k.document_id
         and v.version = k.version`,
      [...keyColumns(gone), gone.map((each) => each.version)],
    );
  }
  if (rows.length > 0) await session.query(writeVersions, [JSON.stringify(rows)]);
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

/** A caller that published a command without noting an operation first finds one all the same. */
async function writeOutcomes(session: SqlSession, change: Change<unknown>, now: string): Promise<void> {
  const last = new Map(change.outcomes.map((each) => [each.outcome.operation, each]));
  await session.query(
    `insert into operations as o (id, workspace, collection, document_id, kind, state, version, chunk_count, unchanged,
       replaced, code, reason, created_at, updated_at)
     select r.*, $2::timestamptz, $2::timestamptz
     from jsonb_to_recordset($1::jsonb) as r (id text, workspace text, collection text, document_id text, kind text,
       state text, version bigint, chunk_count bigint, unchanged boolean, replaced bigint, code text, reason text)
     on conflict (id) do update set state = excluded.state, version = coalesce(excluded.version, o.version),
       chunk_count = coalesce(excluded.chunk_count, o.chunk_count), unchanged = excluded.unchanged,
       replaced = coalesce(excluded.replaced, o.replaced), code = excluded.code, reason = excluded.reason,
       updated_at = excluded.updated_at
     where o.workspace = excluded.workspace`,
    [
      JSON.stringify(
        [...last.values()].map(({ outcome, ...each }) => ({
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
        })),
      ),
      now,
    ],
  );
}
