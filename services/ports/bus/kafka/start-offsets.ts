import { SluiceError } from '../../../domain/errors.js';
import type { TopicPartition } from '../port.js';
import type { ClusterAdmin } from './cluster-admin.js';
import type { Names } from './names.js';

/** Where partitions are to be read from, as things stood when it was asked for. */
export interface StartOffsets {
  /** Throws SluiceError `internal` if that is not there any more. */
  startOf(partition: TopicPartition): bigint;
  /** Where the group has committed; negative: nowhere. */
  committedOf(partition: TopicPartition): bigint;
}

/** Looks start offsets up. `firstTime`: the consumer has had no partition yet. */
export type FindStartOffsets = (topics: ReadonlySet<string>, firstTime: boolean) => Promise<StartOffsets>;

/** From the group's offsets on, and from the log's start without any. */
export const fromCommitted =
  (options: {
    readonly admin: ClusterAdmin;
    readonly names: Names;
    readonly group: string;
    /** Whether what has expired may be passed over: requests that nobody waits for any more. */
    mayExpire(topic: string): boolean;
  }): FindStartOffsets =>
  async (topics) => {
    const { admin, names, group, mayExpire } = options;
    const found = new Map(
      await Promise.all(
        [...topics].map(async (topic) => {
          const name = names.inCluster(topic);
          // In this order, so that the end is not older than what has been committed.
          const committed = await admin.committed(names.inCluster(group), name);
          return [topic, { committed, ranges: await admin.offsets(name) }] as const;
        }),
      ),
    );
    const committedOf = ({ topic, partition }: TopicPartition): bigint => found.get(topic)?.committed[partition] ?? -1n;
    return {
      committedOf,
      startOf(partition) {
        const committed = committedOf(partition);
        const range = found.get(partition.topic)?.ranges[partition.partition];
        const start = range?.start ?? 0n;
        if (committed === -1n) return start;
        if (committed >= start && (range === undefined || committed <= range.end)) return committed;
        if (mayExpire(partition.topic)) return start;
        throw lost(group, partition, committed, range ?? { start: 0n, end: 0n });
      },
    };
  };

/** Only what comes from now on; partitions that are added later, as a whole. */
export const fromEnd =
  ({ admin, names }: { readonly admin: ClusterAdmin; readonly names: Names }): FindStartOffsets =>
  async (topics, firstTime) => {
    const ranges = new Map(
      await Promise.all(
        [...topics].map(async (topic) => [topic, await admin.offsets(names.inCluster(topic))] as const),
      ),
    );
    return {
      committedOf: () => -1n,
      startOf({ topic, partition }) {
        const range = ranges.get(topic)?.[partition];
        return (firstTime ? range?.end : range?.start) ?? 0n;
      },
    };
  };

/** The records that a group was to read next are not there; going on elsewhere would lose messages silently. */
export const lost = (
  group: string,
  { topic, partition }: TopicPartition,
  offset: bigint,
  { start, end }: { readonly start: bigint; readonly end: bigint },
): SluiceError =>
  new SluiceError(
    'internal',
    `group ${group} is to resume ${topic}/${partition} at offset ${offset}, but the log holds ${start} to ${end}: ` +
      "unread messages are gone (retention, or a topic made anew); load what they were about again, then set the group's " +
      'offset with Kafka’s own kafka-consumer-groups tool',
  );
