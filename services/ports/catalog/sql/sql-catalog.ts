import type { LibrarianStore } from '../librarian-store.js';
import type { Catalog } from '../port.js';
import { sqlCollections } from './collections.js';
import { sqlConversions } from './conversions.js';
import { sqlDocumentReads } from './document-reads.js';
import { sqlHandledLetters } from './handled-letters.js';
import { sqlLedger } from './ledger.js';
import { load } from './load.js';
import { migrate } from './migrate.js';
import { sqlOperations } from './operations.js';
import { column } from './row.js';
import type { SqlClient } from './sql-client.js';
import { sqlStatistics } from './statistics.js';
import { sqlSweeps } from './sweeps.js';
import { sqlSyncRoots } from './sync-roots.js';
import { clock } from './time.js';
import { write } from './write.js';

/** The catalog over any PostgreSQL from 15 on: migrates it, then speaks the same SQL to all. */
export async function createSqlCatalog(client: SqlClient): Promise<Catalog & LibrarianStore> {
  await migrate(client);
  const [installation] = await client.query('select id from installation');
  const installationId = installation === undefined ? '' : column.text(installation, 'id');

  return {
    ...sqlDocumentReads(client),
    ...sqlCollections(client),
    ...sqlStatistics(client),
    ...sqlConversions(client),
    ...sqlSyncRoots(client),
    ...sqlOperations(client),
    ...sqlLedger(client),
    ...sqlHandledLetters(client),
    ...sqlSweeps(client),

    installationId: () => Promise.resolve(installationId),

    async now() {
      const [row] = await client.query(`select ${clock} as now`);
      return row === undefined ? new Date() : column.time(row, 'now');
    },

    change: (request, decide) =>
      client.transaction(async (session) => {
        const loaded = await load(session, request);
        const change = decide(loaded);
        await write(session, loaded, change);
        return change.result;
      }),

    close: () => client.close(),
  };
}
