import { SluiceError } from '../../../domain/errors.js';
import type { Catalog, CollectionRecord } from '../port.js';
import { collectionRecord } from './collection-row.js';
import { column } from './row.js';
import type { SqlClient, SqlSession } from './sql-client.js';
import { clock } from './time.js';

type Collections = Pick<
  Catalog,
  'createCollection' | 'collection' | 'collections' | 'updateCollection' | 'pauseCollection'
>;

const one = `select * from collections where workspace = $1 and id = $2`;

export function sqlCollections(client: SqlClient): Collections {
  const find = async (session: SqlSession, workspace: string, id: string): Promise<CollectionRecord | undefined> => {
    const [row] = await session.query(one, [workspace, id]);
    return row === undefined ? undefined : collectionRecord(row);
  };

  return {
    collection: (workspace, id) => find(client, workspace, id),

    async collections(workspace) {
      const rows = await client.query('select * from collections where workspace = $1 order by id', [workspace]);
      return rows.map(collectionRecord);
    },

    createCollection: (wanted) =>
      client.transaction(async (session) => {
        // Raised before the row is made: two creators wait for one another here.
        const [raised] = await session.query(
          `insert into collection_generations as g (workspace, id, generation) values ($1, $2, 1)
           on conflict (workspace, id) do update set generation = g.generation + 1
           returning generation`,
          [wanted.workspace, wanted.id],
        );
        const [row] = await session.query(
          `insert into collections (workspace, id, name, description, metadata, space, chunker_spec, lexical, state,
             generation, created_at, updated_at)
           values ($1, $2, $3, $4, $5::jsonb, $6::jsonb, $7::jsonb, $8::jsonb, 'active', $9, ${clock}, ${clock})
           on conflict (workspace, id) do nothing
           returning *`,
          [
            wanted.workspace,
            wanted.id,
            wanted.name,
            wanted.description,
            JSON.stringify(wanted.metadata),
            JSON.stringify(wanted.space),
            wanted.chunkerSpec === null ? null : JSON.stringify(wanted.chunkerSpec),
            JSON.stringify(wanted.lexical),
            raised === undefined ? 1 : column.integer(raised, 'generation'),
          ],
        );
        if (row !== undefined) return collectionRecord(row);
        const standing = await find(session, wanted.workspace, wanted.id);
        throw standing?.state === 'deleting'
          ? new SluiceError(
              'collection-deleting',
              `collection "${wanted.id}" is still being deleted: create it again when it is gone`,
            )
          : new SluiceError(
              'collection-exists',
              `collection "${wanted.id}" exists already: use it, or choose another id`,
            );
      }),

    async pauseCollection(workspace, id, paused) {
      const [row] = await client.query(
        `update collections set paused = $3, updated_at = ${clock} where workspace = $1 and id = $2 returning *`,
        [workspace, id, paused],
      );
      if (row !== undefined) return collectionRecord(row);
      throw new SluiceError('collection-not-found', `collection "${id}" does not exist: create it first`);
    },

    async updateCollection(workspace, id, change) {
      const [row] = await client.query(
        `update collections set name = coalesce($3, name), description = coalesce($4, description),
           metadata = coalesce($5::jsonb, metadata), updated_at = ${clock}
         where workspace = $1 and id = $2 and state = 'active' returning *`,
        [
          workspace,
          id,
          change.name ?? null,
          change.description ?? null,
          change.metadata === undefined ? null : JSON.stringify(change.metadata),
        ],
      );
      if (row !== undefined) return collectionRecord(row);
      throw (await find(client, workspace, id)) === undefined
        ? new SluiceError('collection-not-found', `collection "${id}" does not exist: create it first`)
        : new SluiceError('collection-deleting', `collection "${id}" is being deleted and can no longer be changed`);
    },
  };
}
