import { waiting } from '../../../domain/collections/conversion.js';
import type { CollectionChange, ConversionMark, LibrarianStore } from '../librarian-store.js';
import type { Catalog } from '../port.js';
import { collectionRecord } from './collection-row.js';
import { column } from './row.js';
import type { SqlClient, SqlSession } from './sql-client.js';

type Conversions = Pick<Catalog, 'conversionProgress'> & Pick<LibrarianStore, 'retiredSpaces'>;

export function sqlConversions(client: SqlClient): Conversions {
  return {
    async conversionProgress(workspace, collection, failureLimit) {
      const behind = `from versions where workspace = $1 and collection = $2 and state = 'ready' and behind is not null`;
      const [live] = await client.query(
        `select count(*) as live,
           coalesce(sum((v.windowed ->> (coalesce(c.target_space, c.space) ->> 'id'))::bigint), 0)::bigint as windowed
         from versions v join collections c on c.workspace = v.workspace and c.id = v.collection
         where v.workspace = $1 and v.collection = $2 and v.state = 'ready'`,
        [workspace, collection],
      );
      const states = await client.query(
        `select behind ->> 'state' as state, count(*) as versions ${behind} group by behind ->> 'state'`,
        [workspace, collection],
      );
      const failures = await client.query(
        `select document_id, version, behind ${behind} and behind ->> 'state' = 'failed'
         order by document_id limit $3::bigint`,
        [workspace, collection, failureLimit],
      );
      const counted = new Map(states.map((row) => [column.text(row, 'state'), column.integer(row, 'versions')]));
      return {
        live: live === undefined ? 0 : column.integer(live, 'live'),
        windowedChunks: live === undefined ? 0 : column.integer(live, 'windowed'),
        waiting: counted.get('waiting') ?? 0,
        failed: counted.get('failed') ?? 0,
        failures: failures.map((row) => ({
          documentId: column.text(row, 'document_id'),
          version: column.integer(row, 'version'),
          behind: column.json(row, 'behind'),
        })),
      };
    },

    async retiredSpaces() {
      const rows = await client.query(
        `select * from collections where state = 'active' and retired_spaces <> '[]'::jsonb order by workspace, id`,
      );
      return rows
        .map(collectionRecord)
        .flatMap(({ workspace, id, retiredSpaces }) =>
          retiredSpaces.map((retired) => ({ workspace, collection: id, retired })),
        );
    },
  };
}

/** Writes what a conversion makes of a collection, and marks versions as behind. */
export async function writeConversion(
  session: SqlSession,
  change: Extract<CollectionChange, { readonly change: 'convert' }>,
  now: string,
): Promise<void> {
  const { workspace, collection, state, marks } = change;
  const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
  await session.query(
    `update collections set space = $3::jsonb, target_space = $4::jsonb, chunker_spec = $5::jsonb,
       conversion = $6::jsonb, retired_spaces = $7::jsonb, space_since = $8::timestamptz, updated_at = $9::timestamptz
     where workspace = $1 and id = $2`,
    [
      workspace,
      collection,
      ...[state.space, state.targetSpace, state.chunkerSpec, state.conversion, state.retiredSpaces].map(json),
      state.spaceSince === null ? null : new Date(state.spaceSince).toISOString(),
      now,
    ],
  );
  for (const mark of marks) await writeMark(session, { workspace, collection, ...mark }, now);
}

async function writeMark(
  session: SqlSession,
  mark: ConversionMark & { readonly workspace: string; readonly collection: string },
  now: string,
): Promise<void> {
  const { workspace, collection, documentIds } = mark;
  if (documentIds.length === 0) return;
  const [changes, only, value] =
    'space' in mark
      ? // What an earlier reindex to this space may have confirmed is gone.
        ['confirmed = confirmed - $4::text, windowed = windowed - $4::text,', 'packs > 0', mark.space]
      : ['', 'chunker_spec <> $4::jsonb', JSON.stringify(mark.spec)];
  await session.query(
    `update versions set ${changes} redrives = 0, behind = $5::jsonb, updated_at = $6::timestamptz
     where workspace = $1 and collection = $2 and document_id = any($3::text[]) and state = 'ready' and ${only}`,
    [workspace, collection, documentIds, value, JSON.stringify(waiting), now],
  );
}
