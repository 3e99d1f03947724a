import { SluiceError } from '../../../domain/errors.js';
import { firstMigration } from './migrations/0001-catalog.js';
import { lifecycle } from './migrations/0002-lifecycle.js';
import type { Migration } from './migrations/migration.js';
import { applicationName, endOlderConnections } from './older-connections.js';
import { column } from './row.js';
import type { SqlClient, SqlSession } from './sql-client.js';
import { isDeadlock } from './translate-error.js';

/** In order; the position is the number. */
const migrations: readonly Migration[] = [firstMigration, lifecycle];

/** Any number that no other program uses: whoever migrates holds this lock. */
const lockKey = 5_874_213_907;

/** As what this release connects to a server. */
export const ownApplicationName = applicationName(migrations.length);

const maxAttempts = 10;

/**
 * Brings the schema to what this release knows, while older ones go on working. A catalog of a newer release is refused:
 * nothing is changed.
 */
export async function migrate(client: SqlClient, known: readonly Migration[] = migrations): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await migrateAtOnce(client, known);
      return;
    } catch (error) {
      // Statements that run meanwhile hold one table and want another, in no one order: one of both gives way.
      if (attempt === maxAttempts || !isDeadlock(error)) throw error;
    }
  }
}

async function migrateAtOnce(client: SqlClient, known: readonly Migration[]): Promise<void> {
  await client.transaction(async (session) => {
    await session.query(`select pg_advisory_xact_lock(${lockKey})`);
    await session.query(`
      create table if not exists schema_migrations (
        number integer primary key,
        name text not null,
        applied_at timestamptz not null default clock_timestamp()
      )`);
    const rows = await session.query('select number, name from schema_migrations order by number');
    const applied = new Map(rows.map((row) => [column.integer(row, 'number'), column.text(row, 'name')]));
    for (const [number, name] of applied) {
      const mine = known[number - 1];
      if (mine?.name === name || (mine === undefined && isCompatible(number, known.length))) continue;
      throw new SluiceError(
        'configuration-invalid',
        `the catalog has schema step ${number} "${name}", which this release does not know: run the release that made it, or a newer one`,
      );
    }
    for (const [index, migration] of known.entries()) {
      if (applied.has(index + 1)) continue;
      for (const statement of migration.statements) await session.query(statement);
      await session.query('insert into schema_migrations (number, name) values ($1, $2)', [index + 1, migration.name]);
    }
    if (applied.size > 0 && applied.size < known.length) await endOlderConnections(session, ownApplicationName);
  });
}

/** How many steps the schema has, 0 for an empty database, and how many this release knows. Changes nothing. */
export async function migrationState(
  session: SqlSession,
): Promise<{ readonly applied: number; readonly known: number }> {
  const known = migrations.length;
  const [table] = await session.query(`select to_regclass('schema_migrations') is not null as there`);
  if (table === undefined || !column.boolean(table, 'there')) return { applied: 0, known };
  const [row] = await session.query('select coalesce(max(number), 0) as applied from schema_migrations');
  return { applied: row === undefined ? 0 : column.integer(row, 'applied'), known };
}

/** Steps expand before they contract, so the release before a step still runs on it; the one before that does not. */
const isCompatible = (number: number, known: number): boolean => number === known + 1;
