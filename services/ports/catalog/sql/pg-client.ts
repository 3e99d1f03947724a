import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Parameter, Row, SqlClient, SqlSession } from './sql-client.js';
import { isStalePlan, translateError } from './translate-error.js';

export interface PgClientOptions extends pg.PoolConfig {
  /** Told after each statement how many rows it has inserted, updated or deleted. */
  readonly onChanged?: (rows: number) => void;
}

/**
 * SQL over PostgreSQL's wire protocol, on as many connections as the pool may have. Each statement is parsed once on
 * each connection: a statement costs half as much when it comes again.
 */
export function createPgClient({ onChanged, ...config }: PgClientOptions): SqlClient {
  const pool = new pg.Pool(config);
  // An idle connection that the server closes is told of here; the pool has dropped it already.
  pool.on('error', () => undefined);
  // One that it closes during a transaction tells so itself, beside failing the statement: unheard, that ends the process.
  pool.on('connect', (connection) => connection.on('error', () => undefined));

  const sessionOf = (target: pg.Pool | pg.PoolClient): SqlSession => ({
    async query(sql, values = []) {
      try {
        const statement = { name: nameOf(sql), text: sql, values: [...values] satisfies Parameter[] };
        const { rows, rowCount, command } = await target.query<Row>(statement);
        if (onChanged !== undefined && rowCount !== null && changing.has(command)) onChanged(rowCount);
        return rows;
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
      // A connection that cannot roll back, or holds a statement that cannot run any more, is not given to anybody else.
      if (error instanceof Error && isStalePlan(error.cause)) broken = error;
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

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE']);

const names = new Map<string, string>();

/** A name per text: the texts are this program's own, so there are only so many. */
function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = createHash('sha256').update(sql).digest('base64url').slice(0, 32);
    names.set(sql, name);
  }
  return name;
}
