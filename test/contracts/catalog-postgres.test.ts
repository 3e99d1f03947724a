import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll } from 'vitest';
import { createPostgresCatalog } from '../../services/ports/catalog/postgres/postgres-catalog.js';
import { startPostgres } from '../stack/postgres.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { describeCatalogContract } from './catalog-contract.js';

const folder = await mkdtemp(join(tmpdir(), 'sluice-postgres-'));
const server = await startOrSkip('PostgreSQL', () => startPostgres(join(folder, 'data')));

afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

if (server !== undefined) {
  let databases = 0;
  /** A database of its own for each catalog. */
  const newDatabase = async (): Promise<string> => {
    const name = `catalog_${++databases}`;
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return server.url.replace(/\/sluice$/, `/${name}`);
  };
  describeCatalogContract('postgres', async () =>
    createPostgresCatalog({
      url: await newDatabase(),
      maxConnections: 4,
      statementTimeoutMs: 30_000,
      connectTimeoutMs: 5_000,
    }),
  );
}
