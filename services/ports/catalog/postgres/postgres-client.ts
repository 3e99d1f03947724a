import pg from 'pg';
import type { Parameter, Row, SqlClient, SqlSession } from '../sql/sql-client.js';
import { translateError } from '../sql/translate-error.js';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; TLS by `?sslmode=`. */
  readonly url: string;
  readonly maxConnections: number;
  /** How long a statement may run before the server ends it. */
  readonly statementTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

/** A pool of connections to a PostgreSQL server. Connections that break are replaced at the next call. */
export function openPostgres(options: PostgresOptions): SqlClient {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // A transaction whose owner died holds its locks no longer than this.
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    application_name: 'sluice',
  });
  // An idle connection that the server closes is told of here; the pool has dropped it already.
  pool.on('error', () => undefined);

  const sessionOf = (target: pg.Pool | pg.PoolClient): SqlSession => ({
    async query(sql, values = []) {
      try {
        return (await target.query<Row>(sql, [...values] satisfies Parameter[])).rows;
      } catch (error) {
        throw translateError(error, sql);
      }
    },
  });
  const session = sessionOf(pool);

  async function transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw translateError(error, 'connect');
    });
    let broken: Error | undefined;
    const inside = sessionOf(client);
    try {
      await inside.query('begin');
      const result = await work(inside);
      await inside.query('commit');
      return result;
    } catch (error) {
      // A connection that cannot roll back is not given to anybody else.
      await inside
        .query('rollback')
        .catch((fault: unknown) => (broken = fault instanceof Error ? fault : new Error(String(fault))));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  let closed: Promise<void> | undefined;
  return { query: (sql, values) => session.query(sql, values), transaction, close: () => (closed ??= pool.end()) };
}
