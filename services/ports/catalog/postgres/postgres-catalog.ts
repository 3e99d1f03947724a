import type { LibrarianStore } from '../librarian-store.js';
import type { Catalog } from '../port.js';
import { createSqlCatalog } from '../sql/sql-catalog.js';
import { openPostgres, type PostgresOptions } from './postgres-client.js';

/** The catalog on a PostgreSQL server from release 15 on; migrated under a lock, so that many processes may start at once. */
export async function createPostgresCatalog(options: PostgresOptions): Promise<Catalog & LibrarianStore> {
  const client = openPostgres(options);
  try {
    return await createSqlCatalog(client);
  } catch (error) {
    await client.close();
    throw error;
  }
}
