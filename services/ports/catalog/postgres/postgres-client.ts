import { ownApplicationName } from '../sql/migrate.js';
import { createPgClient } from '../sql/pg-client.js';
import type { SqlClient } from '../sql/sql-client.js';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; TLS by `?sslmode=`. */
  readonly url: string;
  readonly maxConnections: number;
  /** How long a statement may run before the server ends it. */
  readonly statementTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

/** A pool of connections to a PostgreSQL server. Connections that break are replaced at the next call. */
export const openPostgres = (options: PostgresOptions): SqlClient =>
  createPgClient({
    connectionString: options.url,
    max: options.maxConnections,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // A transaction whose owner died holds its locks no longer than this.
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    application_name: ownApplicationName,
  });
