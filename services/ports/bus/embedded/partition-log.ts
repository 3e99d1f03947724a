import type { BusRecord } from '../port.js';

/** How much one read hands over at most; the first record counts even if it is larger. */
export interface ReadLimits {
  readonly records: number;
  readonly bytes: number;
}

/** One partition of a topic, durable or in memory. */
export interface PartitionLog {
  readonly topic: string;
  readonly partition: number;
  /** The offset of the first record that is still there; `end()` when there is none. */
  start(): bigint;
  /** The offset that the next record will get. */
  end(): bigint;
  read(from: bigint, limits: ReadLimits): readonly BusRecord[];
}
