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
  else answer(request);
});

/**
 * Runs a statement and posts its answer. Not by `execProtocolRawSync`: that also parses every answer and keeps the
 * messages for ever, tens of kilobytes per document.
 */
function answer(request: Uint8Array): void {
  const parts: Uint8Array[] = [];
  const ran = database.execProtocolRawStream(request, {
    syncToFs: false,
    // A view of the database's own memory, which the next part overwrites.
    onRawData: (bytes) => parts.push(bytes.slice()),
  });
  // It has run by now; a failure is an unhandled rejection, which ends the thread and with it the process.
  void ran.then(() => parentPort?.postMessage(new Uint8Array(Buffer.concat(parts))));
}

parentPort?.postMessage('open');
