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

/** Locks collections, then documents, both in key order, then reads the clock and everything else. */
export async function load(session: SqlSession, request: ChangeRequest): Promise<Loaded> {
  const collections = await lockCollections(session, request);
  const keys = keyColumns(request.documents);
  const documentRows = await session.query(
    `select t.workspace, t.collection, t.document_id, t.seq, t.last_version from documents t ${keyJoin}
     order by t.workspace, t.collection, t.document_id for update of t`,
    keys,
  );
  const handledRows = await session.query(
    `select c.now, h.id::text as id, h.outputs
     from (select ${clock} as now) c left join handled_commands h on h.id = any($1::uuid[])`,
    [request.commands],
  );
  const versionRows =
    documentRows.length === 0
      ? []
      : await session.query(`select t.* from versions t ${keyJoin} order by t.version`, keys);
  return {
    now: handledRows[0] === undefined ? 0 : column.milliseconds(handledRows[0], 'now'),
    documents: documentStates(documentRows, versionRows),
    collections,
    handled: new Map(
      handledRows.flatMap((row) => {
        const id = column.textOrNull(row, 'id');
        return id === null ? [] : [[id, column.json<StoredOutput[] | null>(row, 'outputs') ?? []]];
      }),
    ),
    pages: await loadPages(session, request),
  };
}

/** Shared with other batches, unless one of a deleted collection's last versions may go: then one batch at a time. */
async function lockCollections(session: SqlSession, request: ChangeRequest): Promise<Map<string, LockedCollection>> {
  const rows = await session.query(
    `select c.* from collections c join unnest($1::text[], $2::text[]) as k (workspace, id)
       on c.workspace = k.workspace and c.id = k.id
     order by c.workspace, c.id for ${request.countVersionsTo > 0 || request.exclusive ? 'update' : 'share'} of c`,
    [request.collections.map((key) => key.workspace), request.collections.map((key) => key.collection)],
  );
  const locked = new Map<string, LockedCollection>();
  for (const row of rows) {
    const record = collectionRecord(row);
    const deletion = collectionDeletion(row);
    locked.set(`${record.workspace}/${record.id}`, {
      record,
      deletion,
      versionsLeft: await versionsLeft(row),
      remaining: await remainingBehind(session, request, record),
    });
  }
  return locked;

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
