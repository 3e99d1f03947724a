import { Worker } from 'node:worker_threads';
import { compiledFile } from '../../../runtime/workers/compiled-file.js';
import { createPgClient } from '../sql/pg-client.js';
import type { SqlClient } from '../sql/sql-client.js';
import { createCluster } from './create-cluster.js';
import { openFailure } from './open-failure.js';
import { PgliteConnection } from './pglite-connection.js';
import type { PgliteRequest } from './pglite-worker.js';
import { Upkeep } from './upkeep.js';

/** What the thread makes is short-lived bytes; by default it would take three times as much before it collects. */
const youngMegabytes = 16;

const program = compiledFile(new URL('./pglite-worker.js', import.meta.url));

/**
 * Opens (or makes) the PostgreSQL that lives in `folder`, in a thread of this process: one connection, everything in
 * turn. Throws storage-full, and configuration-invalid for files that PostgreSQL cannot start from.
 */
export async function openPglite(folder: string): Promise<SqlClient> {
  await createCluster(folder);
  const worker = new Worker(program, {
    workerData: { folder },
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
  });
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      resolve();
    });
  });
  await opened(worker).catch((error: unknown) => {
    throw openFailure(folder, error);
  });

  const upkeep = new Upkeep();
  // A thread that ends by itself takes the process along: what it knew is on the disk, and the next start reads it.
  const die = (code: number): never => {
    throw new Error(`the embedded PostgreSQL in ${folder} has ended with ${code}`);
  };
  worker.once('exit', die);
  let closed: Promise<void> | undefined;
  let upkeeping = Promise.resolve();
  let scheduled = false;
  const client = createPgClient({
    // The driver asks nothing of a socket that this does not have.
    stream: () => new PgliteConnection(worker),
    ...{ user: 'postgres', database: 'postgres', max: 1, idleTimeoutMillis: 0 },
    onChanged: (rows) => {
      if (upkeep.noteChanged(rows)) scheduleUpkeep();
    },
  });

  /** After what is queued now; failing to tidy up fails nobody's work. */
  function scheduleUpkeep(): void {
    if (scheduled || closed !== undefined) return;
    scheduled = true;
    upkeeping = upkeep
      .run(client)
      .catch(() => undefined)
      .finally(() => {
        scheduled = false;
      });
  }

  async function close(): Promise<void> {
    await upkeeping;
    await client.close();
    worker.off('exit', die);
    worker.postMessage('close' satisfies PgliteRequest);
    await exited;
  }

  return { query: client.query, transaction: client.transaction, close: () => (closed ??= close()) };
}

/** PostgreSQL ends its program when it cannot start: an exit is a failure, too. */
function opened(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: unknown): void => {
      reject(error instanceof Error ? error : new Error(`PostgreSQL ended with ${String(error)}`));
    };
    worker.once('error', failed);
    worker.once('exit', failed);
    worker.once('message', () => {
      worker.off('error', failed);
      worker.off('exit', failed);
      resolve();
    });
  });
}
