import { PGlite, type Results, type Transaction } from '@electric-sql/pglite';
import type { Parameter, Row, SqlClient, SqlSession } from '../sql/sql-client.js';
import { translateError } from '../sql/translate-error.js';
import { createCluster } from './create-cluster.js';
import { DurableFiles } from './durable-files.js';
import { openFailure } from './open-failure.js';
import { Upkeep } from './upkeep.js';

const settings = [
  'fsync=on',
  'wal_sync_method=fsync',
  'shared_buffers=32MB',
  'max_wal_size=256MB',
  'min_wal_size=32MB',
  // Looking rows up by key is cheap here; at the default a batch of keys makes it read whole tables instead.
  'random_page_cost=1.1',
  'jit=off',
];

/** `-F` is what makes PGlite skip fsync. */
const parameters = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...settings.flatMap((setting) => ['-c', setting]),
];

/**
 * Opens (or makes) the PostgreSQL that lives in `folder`, in this process: one connection, everything in turn. Throws
 * storage-full, and configuration-invalid for files that PostgreSQL cannot start from.
 */
export async function openPglite(folder: string): Promise<SqlClient> {
  await createCluster(folder);
  const database = await PGlite.create({ fs: new DurableFiles(folder), startParams: parameters }).catch(
    (error: unknown) => {
      throw openFailure(folder, error);
    },
  );
  const upkeep = new Upkeep();
  let closed: Promise<void> | undefined;
  let upkeeping = Promise.resolve();

  const sessionOf = (target: PGlite | Transaction): SqlSession => ({
    async query(sql, values = []) {
      try {
        const results: Results<Row> = await target.query<Row>(sql, [...values] satisfies Parameter[]);
        if (upkeep.noteChanged(results.affectedRows ?? 0)) scheduleUpkeep();
        return results.rows;
      } catch (error) {
        throw translateError(error, sql);
      }
    },
  });

  const session = sessionOf(database);
  let scheduled = false;

  /** After what is queued now; failing to tidy up fails nobody's work. */
  function scheduleUpkeep(): void {
    if (scheduled || closed !== undefined) return;
    scheduled = true;
    upkeeping = upkeep
      .run(session)
      .catch(() => undefined)
      .finally(() => {
        scheduled = false;
      });
  }

  return {
    query: (sql, values) => session.query(sql, values),
    transaction: (work) => database.transaction((transaction) => work(sessionOf(transaction))),
    close: () => (closed ??= upkeeping.then(() => database.close())),
  };
}
