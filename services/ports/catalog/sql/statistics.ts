import { SortedSnapshot } from '../../../domain/documents/snapshot.js';
import type { Catalog } from '../port.js';
import { column } from './row.js';
import type { SqlClient } from './sql-client.js';

type Statistics = Pick<Catalog, 'statistics' | 'attributeValues'>;

const snapshotPage = 5_000;

/** The attributes that filters see, as `filterableAttributes` makes them of a version record. */
const filterable = `jsonb_strip_nulls(jsonb_build_object(
    'document_id', document_id, 'title', coalesce(given_title, decoded_title), 'source', source,
    'tags', case when cardinality(tags) > 0 then to_jsonb(tags) end,
    'content_type', coalesce(decoded_type, given_type),
    'file_time', to_char(file_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
  || coalesce(decoded_attributes, '{}') || given_attributes`;

export function sqlStatistics(client: SqlClient): Statistics {
  /** Read in pages, sorted by the index: a collection of any size costs one page of memory. */
  async function snapshot(workspace: string, collection: string): Promise<string> {
    const hash = new SortedSnapshot();
    let after = { uri: '', documentId: '' };
    for (;;) {
      const rows = await client.query(
        `select coalesce(source, document_id) as uri, document_id, content_hash from versions
         where workspace = $1 and collection = $2 and state = 'ready'
           and (coalesce(source, document_id), document_id) > ($3, $4)
         order by coalesce(source, document_id), document_id limit ${snapshotPage}`,
        [workspace, collection, after.uri, after.documentId],
      );
      for (const row of rows) {
        after = { uri: column.text(row, 'uri'), documentId: column.text(row, 'document_id') };
        hash.add({ uri: after.uri, contentHash: column.text(row, 'content_hash') });
      }
      if (rows.length < snapshotPage) return hash.digest();
    }
  }

  return {
    async statistics(workspace, collection) {
      const states = await client.query(
        `select newest_state as state, count(*) as documents from documents
         where workspace = $1 and collection = $2 and newest_version is not null group by newest_state`,
        [workspace, collection],
      );
      const documents = { pending: 0, processing: 0, ready: 0, failed: 0 };
      for (const row of states) {
        const state = column.text(row, 'state');
        if (state in documents) Object.assign(documents, { [state]: column.integer(row, 'documents') });
      }
      const [live] = await client.query(
        `select coalesce(sum(chunks), 0)::bigint as chunks, coalesce(sum(size_bytes), 0)::bigint as bytes,
           max(live_since) as last_ingest
         from versions where workspace = $1 and collection = $2 and state = 'ready'`,
        [workspace, collection],
      );
      return {
        documents,
        chunks: live === undefined ? 0 : column.integer(live, 'chunks'),
        bytes: live === undefined ? 0 : column.integer(live, 'bytes'),
        lastIngest: live === undefined ? null : column.timeOrNull(live, 'last_ingest'),
        snapshot: await snapshot(workspace, collection),
      };
    },

    async attributeValues(workspace, collection, key, limit) {
      const rows = await client.query(
        `select distinct value from (
           select (${filterable}) -> $3::text as value from versions
           where workspace = $1 and collection = $2 and state <> 'deleting'
         ) as each where value is not null limit $4::bigint`,
        [workspace, collection, key, limit + 1],
      );
      return rows.map((row) => row['value']);
    },
  };
}
