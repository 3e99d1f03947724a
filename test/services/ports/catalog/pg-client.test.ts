import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPostgresCatalog } from '../../../../services/ports/catalog/postgres/postgres-catalog.js';
import { openPostgres } from '../../../../services/ports/catalog/postgres/postgres-client.js';
import { migrate, migrationState } from '../../../../services/ports/catalog/sql/migrate.js';
import { firstMigration } from '../../../../services/ports/catalog/sql/migrations/0001-catalog.js';
import type { SqlClient } from '../../../../services/ports/catalog/sql/sql-client.js';
import { startOrSkip } from '../../../stack/start-or-skip.js';
import { startPostgres } from '../../../stack/postgres.js';

const folder = await mkdtemp(join(tmpdir(), 'sluice-postgres-'));
const server = await startOrSkip('PostgreSQL', () => startPostgres(join(folder, 'data')));
const opened: SqlClient[] = [];
afterAll(async () => {
  for (const client of opened) await client.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

if (server !== undefined) {
  let url = server.url;
  const options = { maxConnections: 2, statementTimeoutMs: 30_000, connectTimeoutMs: 5_000 };
  /** A pool that introduces itself to the server so. */
  const open = (name: string): SqlClient => {
    const client = openPostgres({ ...options, url: `${url}?application_name=${encodeURIComponent(name)}` });
    opened.push(client);
    return client;
  };
  let databases = 0;
  beforeEach(async () => {
    url = server.url;
    const name = `pg_client_${++databases}`;
    await open('test').query(`create database ${name}`);
    url = server.url.replace(/\/sluice$/, `/${name}`);
  });

  describe('a connection that the server ends', () => {
    it.each(['while a statement runs', 'between two statements'])(
      '%s fails its transaction, and nothing else',
      async (when) => {
        const [client, other] = [open('test'), open('other')];
        const end = (pid: unknown) => other.query('select pg_terminate_backend($1::integer)', [Number(pid)]);
        const transaction = client.transaction(async (session) => {
          const [row] = await session.query('select pg_backend_pid() as pid');
          const work = when === 'while a statement runs' ? session.query('select pg_sleep(60)') : undefined;
          work?.catch(() => undefined);
          await end(row?.['pid']);
          await work;
          await session.query('select 1');
        });
        await expect(transaction).rejects.toMatchObject({ code: 'unavailable' });
        await expect(client.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
      },
    );
  });

  it('migrates again when a statement of an older release and the migration wait for each other', async () => {
    const [older, other] = [open('sluice'), open('other')];
    await migrate(older, [firstMigration]);
    let migrating: Promise<void> | undefined;
    await older.transaction(async (session) => {
      await session.query(`set local deadlock_timeout = '1h'`);
      await session.query('select 1 from versions');
      migrating = createPostgresCatalog({ ...options, url }).then((catalog) => catalog.close());
      migrating.catch(() => undefined); // it is heard below
      await vi.waitFor(
        async () => expect(await other.query('select 1 from pg_locks where not granted')).toHaveLength(1),
        { timeout: 10_000 },
      );
      await session.query('select 1 from collections');
    });
    await migrating;
    expect((await migrationState(other)).applied).toBeGreaterThan(1);
  });

  describe('statements prepared before a table got another column', () => {
    const everything = 'select * from collections';
    /** What the client does until it succeeds; every failure on the way is to say that it may come again. */
    const insist = async (work: () => Promise<unknown>): Promise<number> => {
      for (let failures = 0; ; failures++) {
        try {
          await work();
          return failures;
        } catch (error) {
          expect(error).toMatchObject({ code: 'unavailable' });
          expect(failures).toBeLessThan(options.maxConnections);
        }
      }
    };
    const inTransaction = (client: SqlClient) => () => client.transaction((session) => session.query(everything));

    it('go on after a newer release has migrated: it ends the connections of the older one', async () => {
      const older = open('sluice');
      await migrate(older, [firstMigration]);
      const pid = async () => (await older.query('select pg_backend_pid() as pid'))[0]?.['pid'];
      const before = await pid();
      await inTransaction(older)();
      await (await createPostgresCatalog({ ...options, url })).close();
      await insist(inTransaction(older));
      expect(await pid()).not.toBe(before);
    });

    it('are waited for when a transaction is under way: its statement is cancelled, its connection not cut', async () => {
      const older = open('sluice');
      await migrate(older, [firstMigration]);
      let migrating: Promise<void> | undefined;
      const transaction = older.transaction(async (session) => {
        migrating = createPostgresCatalog({ ...options, url }).then((catalog) => catalog.close());
        migrating.catch(() => undefined); // it is heard below
        await session.query('select pg_sleep(60)');
      });
      await expect(transaction).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('canceling statement') as unknown,
      });
      await migrating;
      await insist(() => older.query(everything));
    });

    it('leave connections of the same release and of other programs alone', async () => {
      await migrate(open('sluice'), [firstMigration]);
      const [same, other] = [openPostgres({ ...options, url }), open('psql')];
      opened.push(same);
      const pids = () =>
        Promise.all([same, other].map(async (client) => (await client.query('select pg_backend_pid() as pid'))[0]));
      const before = await pids();
      await (await createPostgresCatalog({ ...options, url })).close();
      expect(await pids()).toEqual(before);
    });

    it('are prepared anew on another connection where they were left alone', async () => {
      const [client, other] = [open('mine'), open('other')];
      await migrate(client, [firstMigration]);
      await inTransaction(client)();
      await other.query('alter table collections add column more text');
      expect(await insist(inTransaction(client))).toBe(1);
    });
  });
}
