import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { DurableFiles } from './durable-files.js';

/** What the thread is asked: bytes of PostgreSQL's wire protocol, or to close. */
export type PgliteRequest = Uint8Array<ArrayBuffer> | 'close';

const settings = [
  'fsync=on',
  'wal_sync_method=fsync',
  'shared_buffers=32MB',
  'max_wal_size=256MB',
  'min_wal_size=32MB',
  // Looking rows up by key is cheap here; at the default a batch of keys makes it read whole tables instead.
  'random_page_cost=1.1',
  'jit=off',
];

/** `-F` is what makes PGlite skip fsync. */
const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...settings.flatMap((setting) => ['-c', setting]),
];

const { folder } = workerData as { readonly folder: string };
const database = await PGlite.create({ fs: new DurableFiles(folder), startParams });

parentPort?.on('message', (request: PgliteRequest) => {
  if (request === 'close') void database.close().then(() => process.exit(0));
  else {
    const answer = database.execProtocolRawSync(request);
    parentPort?.postMessage(answer);
  }
});
parentPort?.postMessage('open');
