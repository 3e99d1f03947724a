import { setTimeout as delay } from 'node:timers/promises';
import { column } from './row.js';
import type { SqlSession } from './sql-client.js';

/** What a connection of a release that knows so many steps of the schema is called; before 0.2.0, `sluice` alone. */
export const applicationName = (steps: number): string => `sluice schema ${steps}`;

const roundMs = 50;
const maxRounds = 100;

const older = `
  datname = current_database() and usename = current_user and pid <> pg_backend_pid()
  and (application_name = 'sluice' or application_name like 'sluice schema %') and application_name <> $1
  and backend_start < $2::timestamptz`;

/**
 * Ends the connections of releases that know fewer steps, in the transaction that has changed the tables: what they
 * prepared on a table is refused once it has another column, as long as they live. Whoever connects anew waits for the
 * tables, and finds them changed. What runs is cancelled first, which its process takes for a server that is away; 0.1.0
 * would not outlive the end of a connection in the midst of a transaction.
 */
export async function endOlderConnections(session: SqlSession, name: string): Promise<void> {
  const [clock = {}] = await session.query('select clock_timestamp()::text as now');
  const parameters = [name, column.text(clock, 'now')];
  for (let round = 0; round < maxRounds; round++) {
    await session.query('select pg_stat_clear_snapshot()');
    const left = await session.query(
      `select case state when 'idle' then pg_terminate_backend(pid) when 'active' then pg_cancel_backend(pid) end
       from pg_stat_activity where ${older}`,
      parameters,
    );
    if (left.length === 0) return;
    await delay(roundMs);
  }
  await session.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${older}`, parameters);
}
