import { SluiceError } from '../../../domain/errors.js';
import type { Catalog, SyncRoot } from '../port.js';
import { column } from './row.js';
import type { Row, SqlClient, SqlSession } from './sql-client.js';

type SyncRoots = Pick<Catalog, 'syncRoots' | 'changeSyncRoots'>;

export function sqlSyncRoots(client: SqlClient): SyncRoots {
  const read = async (session: SqlSession, workspace: string, collection: string): Promise<readonly SyncRoot[]> => {
    const rows = await session.query(
      'select root, tags, metadata from sync_roots where workspace = $1 and collection = $2 order by root',
      [workspace, collection],
    );
    return rows.map(syncRoot);
  };
  return {
    syncRoots: (workspace, collection) => read(client, workspace, collection),

    changeSyncRoots: (workspace, collection, { record, forget }) =>
      client.transaction(async (session) => {
        // Held until the end, so that the collection cannot go in between.
        const [standing] = await session.query(
          `select id from collections where workspace = $1 and id = $2 and state = 'active' for share`,
          [workspace, collection],
        );
        if (standing === undefined) {
          throw new SluiceError('collection-not-found', `collection "${collection}" does not exist: create it first`);
        }
        await session.query(
          'delete from sync_roots where workspace = $1 and collection = $2 and root = any($3::text[])',
          [workspace, collection, [...forget, ...record.map(({ root }) => root)]],
        );
        await session.query(
          `insert into sync_roots (workspace, collection, root, tags, metadata)
           select $1, $2, root, tags, metadata
           from jsonb_to_recordset($3::jsonb) as r (root text, tags text[], metadata jsonb)`,
          [workspace, collection, JSON.stringify(record)],
        );
        return read(session, workspace, collection);
      }),
  };
}

const syncRoot = (row: Row): SyncRoot => ({
  root: column.text(row, 'root'),
  tags: row['tags'] === null ? null : column.texts(row, 'tags'),
  metadata: column.json(row, 'metadata'),
});
