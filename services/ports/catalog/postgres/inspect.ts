import { migrationState } from '../sql/migrate.js';
import { column } from '../sql/row.js';
import { openPostgres, type PostgresOptions } from './postgres-client.js';

export interface PostgresState {
  /** As the server writes it, such as `17.2 (Debian 17.2-1)`. */
  readonly version: string;
  readonly release: number;
  /** Whether the user may make tables where its tables go. */
  readonly mayCreateTables: boolean;
  /** Steps that the catalog's schema has. 0: there is no catalog yet. */
  readonly applied: number;
  /** Steps that this release knows. */
  readonly known: number;
  readonly installationId: string | undefined;
}

/** What is found on the server; makes and changes nothing. Throws unavailable. */
export async function inspectPostgres(options: PostgresOptions): Promise<PostgresState> {
  const client = openPostgres({ ...options, maxConnections: 1 });
  try {
    const [server = {}] = await client.query(`
      select current_setting('server_version') as version,
        current_setting('server_version_num')::integer / 10000 as release,
        coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create`);
    const state = await migrationState(client);
    const [mark] = state.applied === 0 ? [] : await client.query('select id from installation');
    return {
      version: column.text(server, 'version'),
      release: column.integer(server, 'release'),
      mayCreateTables: column.boolean(server, 'may_create'),
      ...state,
      installationId: mark === undefined ? undefined : column.text(mark, 'id'),
    };
  } finally {
    await client.close();
  }
}
