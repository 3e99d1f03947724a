import type { BusRecord } from '../../ports/bus/port.js';
import type { Queued } from './keyed-queue.js';
import type { PartitionProgress } from './partition-progress.js';

/** A fetched message until it is finished. */
export interface Task extends Queued {
  readonly record: BusRecord;
  readonly progress: PartitionProgress;
  /** Set: the process died so often while handling it that it is not handled again. */
  readonly deaths?: number;
  /** Whether it is handled alone, its offset noted first. */
  readonly alone: boolean;
  maxBatch: number;
  /** Failed attempts so far. */
  failures: number;
  /** Those of them that were no outage. */
  unexpectedFailures: number;
  unavailableSince: number | undefined;
  lastFailureAt: number | undefined;
}

/** What a record costs besides its bytes while it is in memory; bounds their number, too. */
const overheadBytes = 4096;

export const newTask = (
  record: BusRecord,
  progress: PartitionProgress,
  { alone, deaths }: { readonly alone: boolean; readonly deaths: number | undefined },
): Task => ({
  record,
  progress,
  ...(deaths === undefined ? {} : { deaths }),
  alone,
  bytes: record.value.length + overheadBytes,
  maxBatch: alone ? 1 : Number.POSITIVE_INFINITY,
  failures: 0,
  unexpectedFailures: 0,
  unavailableSince: undefined,
  lastFailureAt: undefined,
});
