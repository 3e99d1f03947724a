import type { DocumentState, Version } from '../../../domain/documents/state.js';
import { documentKeyString } from '../../../domain/identity.js';
import type { Behind, Remaining } from '../../../domain/collections/conversion.js';
import type { CollectionRecord } from '../port.js';
import type { ChangeRequest, DocumentPage, Loaded, LockedCollection, StoredOutput } from '../librarian-store.js';
import { collectionDeletion, collectionRecord } from './collection-row.js';
import { keyColumns } from './key-columns.js';
import { column } from './row.js';
import type { Row, SqlSession } from './sql-client.js';
import { clock } from './time.js';
import { versionOfRow } from './version-row.js';

const keyJoin = `
  join unnest($1::text[], $2::text[], $3::text[]) as k (workspace, collection, document_id)
    on t.workspace = k.workspace and t.collection = k.collection and t.document_id = k.document_id`;

/**
 * Locks collections, then documents, both in key order: the second part waits for the count of the first. Collections
 * are shared with other batches, unless one of a deleted collection's last versions may go: then one batch at a time.
 */
const lockStatement = (lock: 'update' | 'share'): string => `
  with locked_collections as (
    select c.* from collections c join unnest($4::text[], $5::text[]) as k (workspace, id)
      on c.workspace = k.workspace and c.id = k.id
    order by c.workspace, c.id for ${lock} of c
  ), locked_documents as (
    select t.workspace, t.collection, t.document_id, t.seq, t.last_version from documents t ${keyJoin}
    where (select count(*) from locked_collections) >= 0
    order by t.workspace, t.collection, t.document_id for update of t
  )
  select null as document_workspace, null as collection, null as document_id, null::bigint as seq,
    null::bigint as last_version, c.* from locked_collections c
  union all select d.*, (null::collections).* from locked_documents d`;

/** The clock, the handled commands among these, and every version of these documents; only one kind in a row. */
const readStatement = `
  select ${clock} as now, null as handled, null::jsonb as outputs, (null::versions).*
  union all
  select null, id::text, outputs, (null::versions).* from handled_commands where id = any($4::uuid[])
  union all
  (select null, null, null, t.* from versions t ${keyJoin} order by t.version)`;

/** Locks what a batch touches, then reads the clock and everything else. */
export async function load(session: SqlSession, request: ChangeRequest): Promise<Loaded> {
  const keys = keyColumns(request.documents);
  const lock = request.countVersionsTo > 0 || request.exclusive ? 'update' : 'share';
  const locked = await session.query(lockStatement(lock), [
    ...keys,
    request.collections.map((key) => key.workspace),
    request.collections.map((key) => key.collection),
  ]);
  const documentRows = locked
    .filter((row) => row['document_id'] !== null)
    .map((row): Row => ({ ...row, workspace: row['document_workspace'] }));
  const rows = await session.query(readStatement, [...keys, request.commands]);
  const now = rows.find((row) => row['now'] !== null);
  return {
    now: now === undefined ? 0 : column.milliseconds(now, 'now'),
    documents: documentStates(
      documentRows,
      rows.filter((row) => row['version_hash'] !== null),
    ),
    collections: await collectionStates(
      session,
      request,
      locked.filter((row) => row['document_id'] === null),
    ),
    handled: new Map(
      rows.flatMap((row) => {
        const id = column.textOrNull(row, 'handled');
        return id === null ? [] : [[id, column.json<StoredOutput[] | null>(row, 'outputs') ?? []]];
      }),
    ),
    pages: await loadPages(session, request),
  };
}

async function collectionStates(
  session: SqlSession,
  request: ChangeRequest,
  rows: readonly Row[],
): Promise<Map<string, LockedCollection>> {
  const states = new Map<string, LockedCollection>();
  for (const row of rows) {
    const record = collectionRecord(row);
    const deletion = collectionDeletion(row);
    states.set(`${record.workspace}/${record.id}`, {
      record,
      deletion,
      versionsLeft: await versionsLeft(row),
      remaining: await remainingBehind(session, request, record),
    });
  }
  return states;

  async function versionsLeft(row: Row): Promise<number | null> {
    if (column.text(row, 'state') !== 'deleting' && request.pages.length === 0) return null;
    if (request.countVersionsTo === 0) return null;
    const [counted] = await session.query(
      `select count(*) as versions from
         (select 1 from versions where workspace = $1 and collection = $2 limit $3::bigint) as counted`,
      [column.text(row, 'workspace'), column.text(row, 'id'), request.countVersionsTo],
    );
    return counted === undefined ? 0 : column.integer(counted, 'versions');
  }
}

async function remainingBehind(
  session: SqlSession,
  { exclusive }: ChangeRequest,
  { workspace, id }: CollectionRecord,
): Promise<Remaining> {
  if (!exclusive) return { waiting: false, failed: false };
  const behind = (state: Behind['state']): string =>
    `exists (select 1 from versions where workspace = $1 and collection = $2 and state = 'ready'
       and behind is not null and behind ->> 'state' = '${state}') as ${state}`;
  const [row] = await session.query(`select ${behind('waiting')}, ${behind('failed')}`, [workspace, id]);
  return row === undefined
    ? { waiting: true, failed: true }
    : { waiting: column.boolean(row, 'waiting'), failed: column.boolean(row, 'failed') };
}

const unsettledOnly = `
  and (newest_state <> 'ready' or document_id in (
    select document_id from versions
    where workspace = $1 and collection = $2 and state = 'ready' and behind is not null))`;

async function loadPages(session: SqlSession, request: ChangeRequest): Promise<Map<string, DocumentPage>> {
  const pages = new Map<string, DocumentPage>();
  for (const { command, workspace, collection, after, limit, unsettled } of request.pages) {
    const rows = await session.query(
      `select document_id, last_version from documents
       where workspace = $1 and collection = $2 and document_id > $3 and newest_version is not null
         ${unsettled ? unsettledOnly : ''}
       order by document_id limit $4::bigint`,
      [workspace, collection, after ?? '', limit],
    );
    pages.set(command, {
      documents: rows.map((row) => ({
        documentId: column.text(row, 'document_id'),
        lastVersion: column.integer(row, 'last_version'),
      })),
      last: rows.length < limit,
    });
  }
  return pages;
}

function documentStates(documentRows: readonly Row[], versionRows: readonly Row[]): Map<string, DocumentState> {
  const versions = new Map<string, Version[]>();
  for (const row of versionRows) {
    const key = keyOf(row);
    const list = versions.get(key) ?? [];
    list.push(versionOfRow(row));
    versions.set(key, list);
  }
  return new Map(
    documentRows.map((row) => [
      keyOf(row),
      {
        key: {
          workspace: column.text(row, 'workspace'),
          collection: column.text(row, 'collection'),
          documentId: column.text(row, 'document_id'),
        },
        seq: column.integer(row, 'seq'),
        lastVersion: column.integer(row, 'last_version'),
        versions: versions.get(keyOf(row)) ?? [],
      },
    ]),
  );
}

const keyOf = (row: Row): string =>
  documentKeyString({
    workspace: column.text(row, 'workspace'),
    collection: column.text(row, 'collection'),
    documentId: column.text(row, 'document_id'),
  });
