import { setTimeout as delay } from 'node:timers/promises';
import { SluiceError } from '../../../domain/errors.js';
import type { ClusterAdmin } from './cluster-admin.js';
import type { Names } from './names.js';

export interface ResizeOptions {
  readonly topic: string;
  readonly partitions: number;
  /** Who must have read everything first, since keys move to other partitions. */
  readonly groups: readonly string[];
  readonly signal?: AbortSignal;
  /** Called now and then while there is something unread. */
  waiting?(unread: bigint): void;
}

const lookEveryMs = 500;

/**
 * Gives a topic more partitions once these groups have read all of it. Nobody may publish to it meanwhile, or messages
 * of one key stand in two partitions.
 */
export async function resizeTopic(
  { topic, partitions, groups, signal, waiting }: ResizeOptions,
  { admin, names }: { readonly admin: ClusterAdmin; readonly names: Names },
): Promise<void> {
  const nameInCluster = names.inCluster(topic);
  const existing = (await admin.partitionCounts()).get(nameInCluster);
  if (existing === undefined) throw new SluiceError('not-found', `there is no topic "${topic}"`);
  if (existing === partitions) return;
  if (existing > partitions) {
    throw new SluiceError(
      'invalid-argument',
      `topic "${topic}" has ${existing} partitions; Kafka cannot take any away, so choose more than that`,
    );
  }
  for (;;) {
    signal?.throwIfAborted();
    const unread = await unreadOf(nameInCluster, groups.map(names.inCluster), admin);
    if (unread === 0n) break;
    waiting?.(unread);
    await delay(lookEveryMs, undefined, signal === undefined ? {} : { signal });
  }
  await admin.addPartitions(nameInCluster, partitions);
}

async function unreadOf(topic: string, groups: readonly string[], admin: ClusterAdmin): Promise<bigint> {
  let most = 0n;
  for (const group of groups) {
    const committed = await admin.committed(group, topic);
    const ranges = await admin.offsets(topic);
    let unread = 0n;
    ranges.forEach(({ start, end }, partition) => {
      const next = committed[partition] ?? -1n;
      unread += end - (next < start ? start : next);
    });
    if (unread > most) most = unread;
  }
  return most;
}
