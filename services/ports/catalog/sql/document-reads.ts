import { documentKeyString, type DocumentKey } from '../../../domain/identity.js';
import type { Catalog, DocumentRecord, VersionRecord } from '../port.js';
import { coalesce } from './coalesce.js';
import { countStatement, cursorOf, pageStatement } from './document-page.js';
import { keyColumns } from './key-columns.js';
import { column } from './row.js';
import type { Row, SqlClient } from './sql-client.js';
import { versionColumns, versionRecord, versionSelect, versionTables } from './version-record.js';

type DocumentReads = Pick<Catalog, 'versions' | 'liveAt' | 'document' | 'documents' | 'countDocuments'>;

const selectDocuments = `
  select d.workspace, d.collection, d.document_id, d.seq, d.last_version, d.live_version, d.newest_version,
    d.created_at, d.updated_at
  from documents d`;

export function sqlDocumentReads(client: SqlClient): DocumentReads {
  const versions = coalesce(async (calls: readonly (readonly string[])[]) => {
    const hashes = [...new Set(calls.flat())];
    const rows = await client.query(`${versionSelect} where v.version_hash = any($1::text[])`, [hashes]);
    const found = new Map(rows.map(versionRecord).map((record) => [record.versionHash, record]));
    return (call: readonly string[]): ReadonlyMap<string, VersionRecord> => pick(found, call);
  });

  const liveAt = coalesce(async (calls: readonly LiveCall[]) => {
    const keys = calls.flatMap(({ documents, t0 }) => documents.map((key) => ({ ...key, t0 })));
    const rows = await client.query(
      `select ${versionColumns}, k.t0 from ${versionTables}
       join (select distinct * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]))
           as k (workspace, collection, document_id, t0)
         on v.workspace = k.workspace and v.collection = k.collection and v.document_id = k.document_id
       where v.state in ('ready', 'superseded') and v.live_since <= k.t0
         and (v.superseded_at is null or v.superseded_at > k.t0)`,
      [...keyColumns(keys), keys.map((key) => key.t0.toISOString())],
    );
    const found = rows.map((row) => ({ t0: column.milliseconds(row, 't0'), record: versionRecord(row) }));
    return ({ documents, t0 }: LiveCall): ReadonlyMap<string, VersionRecord> =>
      pick(
        new Map(
          found.filter((each) => each.t0 === t0.getTime()).map(({ record }) => [documentKeyString(record), record]),
        ),
        documents.map(documentKeyString),
      );
  });

  const document = coalesce(async (keys: readonly DocumentKey[]) => {
    const rows = await client.query(
      `${selectDocuments} join unnest($1::text[], $2::text[], $3::text[]) as k (workspace, collection, document_id)
         on d.workspace = k.workspace and d.collection = k.collection and d.document_id = k.document_id
       where d.newest_version is not null`,
      keyColumns(keys),
    );
    const found = new Map((await withVersions(rows)).map((record) => [documentKeyString(record), record]));
    return (key: DocumentKey) => found.get(documentKeyString(key));
  });

  async function withVersions(rows: readonly Row[]): Promise<DocumentRecord[]> {
    const numbers = rows.flatMap((row) => {
      const wanted = [column.integer(row, 'newest_version'), column.integerOrNull(row, 'live_version')];
      return [...new Set(wanted)].flatMap((version) => (version === null ? [] : [{ ...documentKey(row), version }]));
    });
    const found = new Map<string, VersionRecord>();
    if (numbers.length > 0) {
      const versionRows = await client.query(
        `${versionSelect}
         join unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as k (workspace, collection, document_id, version)
           on v.workspace = k.workspace and v.collection = k.collection and v.document_id = k.document_id
             and v.version = k.version`,
        [...keyColumns(numbers), numbers.map((each) => each.version)],
      );
      for (const record of versionRows.map(versionRecord)) found.set(versionKey(record, record.version), record);
    }
    return rows.map((row) => {
      const key = documentKey(row);
      const version = (name: string): VersionRecord | null =>
        found.get(versionKey(key, column.integerOrNull(row, name))) ?? null;
      return {
        ...key,
        seq: column.integer(row, 'seq'),
        lastVersion: column.integer(row, 'last_version'),
        live: version('live_version'),
        newest: version('newest_version'),
        createdAt: column.time(row, 'created_at'),
        updatedAt: column.time(row, 'updated_at'),
      };
    });
  }

  return {
    versions: async (hashes) => (hashes.length === 0 ? new Map() : versions(hashes)),
    liveAt: async (documents, t0) => (documents.length === 0 ? new Map() : liveAt({ documents, t0 })),
    document,

    async documents(query) {
      const rows = await client.query(...pageStatement(selectDocuments, query));
      const items = await withVersions(rows.slice(0, query.limit));
      const last = items.at(-1);
      return { items, next: rows.length > query.limit && last !== undefined ? cursorOf(query, last) : null };
    },

    async countDocuments(selection) {
      const [row] = await client.query(...countStatement(selection));
      return row === undefined ? 0 : column.integer(row, 'documents');
    },
  };
}

interface LiveCall {
  readonly documents: readonly DocumentKey[];
  readonly t0: Date;
}

const versionKey = (key: DocumentKey, version: number | null): string => `${version}/${documentKeyString(key)}`;

const documentKey = (row: Row): DocumentKey => ({
  workspace: column.text(row, 'workspace'),
  collection: column.text(row, 'collection'),
  documentId: column.text(row, 'document_id'),
});

function pick<T>(found: ReadonlyMap<string, T>, keys: readonly string[]): Map<string, T> {
  const picked = new Map<string, T>();
  for (const key of keys) {
    const value = found.get(key);
    if (value !== undefined) picked.set(key, value);
  }
  return picked;
}
