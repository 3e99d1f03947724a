import { column } from '../sql/row.js';
import type { SqlSession } from '../sql/sql-client.js';

/** How many rows may change before the tables are looked at; a batch of commands tells of a quarter of its rows. */
const rowsBetweenLooks = 2_000;
/** What autovacuum's defaults would be, with a larger base: each look costs everybody a pause. */
const baseRows = 5_000;
const share = 0.2;
const checkpointBytes = 64 * 1024 * 1024;

/**
 * Does what a server's background processes do and an embedded one has nobody for: vacuums and analyses tables that
 * changed much, and writes checkpoints so that the log does not grow.
 */
export class Upkeep {
  #changedRows = 0;
  #checkpointedAt: number | undefined;

  /** Whether it is time for a look. */
  noteChanged(rows: number): boolean {
    this.#changedRows += rows;
    return this.#changedRows >= rowsBetweenLooks;
  }

  async run(session: SqlSession): Promise<void> {
    this.#changedRows = 0;
    const tables = await session.query(
      `select s.relname from pg_stat_user_tables s
       where greatest(n_dead_tup, n_mod_since_analyze) > ${baseRows} + ${share} * n_live_tup`,
    );
    for (const row of tables) await session.query(`vacuum (analyze) "${column.text(row, 'relname')}"`);
    const [log] = await session.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint as bytes`);
    const written = log === undefined ? 0 : column.integer(log, 'bytes');
    if (this.#checkpointedAt !== undefined && written - this.#checkpointedAt < checkpointBytes) return;
    await session.query('checkpoint');
    this.#checkpointedAt = written;
  }
}
