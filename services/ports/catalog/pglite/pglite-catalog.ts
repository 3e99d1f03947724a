import type { LibrarianStore } from '../librarian-store.js';
import type { Catalog } from '../port.js';
import { createSqlCatalog } from '../sql/sql-catalog.js';
import { openPglite } from './pglite-client.js';

export interface PgliteCatalogOptions {
  /** Where the database lives; made if it does not exist. One process at a time. */
  readonly folder: string;
}

/** The catalog of the embedded server: PostgreSQL inside this process. What it has committed survives kill -9. */
export async function createPgliteCatalog({ folder }: PgliteCatalogOptions): Promise<Catalog & LibrarianStore> {
  const client = await openPglite(folder);
  try {
    return await createSqlCatalog(client);
  } catch (error) {
    await client.close();
    throw error;
  }
}
