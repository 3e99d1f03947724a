import { open, type Database, type RootDatabase } from 'lmdb';
import { mkdirSync } from 'node:fs';
import { SluiceError } from '../../../domain/errors.js';
import type { TopicClass } from '../../../../schema/topics.js';
import { lockFolder, refuseOwnedFolder } from './folder-lock.js';
import { GroupCommit } from './group-commit.js';
import { corrupted, inspectStoreFile, writeFailure } from './store-file.js';

export interface StoredTopic {
  /** Stands for the name in record keys. */
  readonly id: number;
  readonly class: TopicClass;
  readonly partitions: number;
  readonly retentionMs: number;
  readonly maxMessageBytes: number;
}

/** The tables of one data folder and the one way to write to them. */
export interface Store {
  readonly folder: string;
  readonly topics: Database<StoredTopic, string>;
  /** By recordKey. */
  readonly records: Database<Buffer, Buffer>;
  /** Committed offsets as decimal strings by [group, topic, partition]. */
  readonly offsets: Database<string, [string, string, number]>;
  /** Who reads a topic: [topic, group], or [topic, ''] for inboxes. */
  readonly readers: Database<string, [string, string]>;
  readonly commits: GroupCommit;
  close(): Promise<void>;
}

/** Sorts by topic, partition and offset. */
export function recordKey(topicId: number, partition: number, offset: bigint): Buffer {
  const key = Buffer.allocUnsafeSlow(16);
  key.writeUInt32BE(topicId, 0);
  key.writeUInt32BE(partition, 4);
  key.writeBigUInt64BE(offset, 8);
  return key;
}

export const offsetOfKey = (key: Buffer): bigint => key.readBigUInt64BE(8);

/**
 * Address space for the file, of which only what is read takes memory. A file that outgrows its map is mapped again, and
 * what was read through the old map stays in memory too.
 */
const mapBytes = 2 ** 33;

const ignore = (): void => undefined;

/** A failed commit rejects the batch, each write in it, and a detail; only the last of the three is of use. */
async function commitFailure(error: unknown): Promise<unknown> {
  if (typeof error !== 'object' || error === null || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (detail) {
    return detail;
  }
}

/** Puts within a batch: their promises follow the batch's own, which is the one that is awaited. */
export const put = <V, K extends [string, string, number] | [string, string] | string | Buffer>(
  database: Database<V, K>,
  key: K,
  value: V,
): void => {
  database.put(key, value).catch(ignore);
};

export const remove = (database: Database<Buffer, Buffer>, key: Buffer): void => {
  database.remove(key).catch(ignore);
};

/**
 * Opens or creates the store in `folder` for this process alone. Errors: data-folder-in-use, configuration-invalid for
 * files that cannot be read, storage-full.
 */
export function openStore(folder: string): Store {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SluiceError('configuration-invalid', `the folder for messages cannot be made: ${reason}`, {
      cause: error,
    });
  }
  refuseOwnedFolder(folder);
  const file = inspectStoreFile(folder);
  let root: RootDatabase | undefined;
  try {
    // A commit resolves after its own flush: what is acknowledged survives the loss of power.
    const opened = open({
      ...{ path: folder, noSubdir: false, maxDbs: 8, mapSize: mapBytes },
      ...{ overlappingSync: false, eventTurnBatching: false },
    });
    root = opened;
    const release = lockFolder(folder, (claim) => {
      opened.transactionSync(claim);
    });
    opened.readerCheck();
    const commits = new GroupCommit(async (apply) => {
      try {
        await opened.batch(apply);
      } catch (error) {
        throw writeFailure(folder, await commitFailure(error));
      }
    });
    const store: Store = {
      folder,
      topics: opened.openDB('topics', { encoding: 'json' }),
      records: opened.openDB('records', { encoding: 'binary', keyEncoding: 'binary' }),
      offsets: opened.openDB('offsets', { encoding: 'string' }),
      readers: opened.openDB('readers', { encoding: 'string' }),
      commits,
      async close() {
        await commits.idle();
        await opened.close();
        release();
      },
    };
    // A file that had to be extended has lost pages: find out now which, not in the middle of a run.
    if (file === 'short') store.records.getRange({}).forEach(ignore);
    return store;
  } catch (error) {
    void root?.close();
    if (error instanceof SluiceError) throw error;
    const failure = writeFailure(folder, error);
    throw failure.code === 'storage-full'
      ? failure
      : corrupted(folder, error instanceof Error ? error.message : String(error), error);
  }
}
