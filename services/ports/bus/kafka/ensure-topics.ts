import { SluiceError } from '../../../domain/errors.js';
import type { TopicSettings } from '../port.js';
import type { ClusterAdmin, NewTopic, TopicConfig } from './cluster-admin.js';
import type { Names } from './names.js';

const defaultMaxMessageBytes = 1024 * 1024;
const maxBatchOverheadBytes = 4096;
const minSegmentMs = 60_000;

/** The limit that Kafka sets is on a batch with its frame, ours on a message. */
const brokerLimit = ({ maxMessageBytes = defaultMaxMessageBytes }: TopicSettings): number =>
  maxMessageBytes + maxBatchOverheadBytes;

/** What a message may weigh where the brokers allow batches of so many bytes. */
export const messageLimit = (batchLimit: number): number => Math.max(0, batchLimit - maxBatchOverheadBytes);

interface EnsureOptions {
  readonly admin: ClusterAdmin;
  readonly names: Names;
  readonly replicationFactor: number;
}

/** Creates missing topics, brings the retention of the others up to date, and refuses those that do not fit. */
export async function ensureTopics(wanted: readonly TopicSettings[], options: EnsureOptions): Promise<void> {
  const { admin, names, replicationFactor } = options;
  const existing = await admin.partitionCounts();
  const missing = wanted.filter(({ name }) => !existing.has(names.inCluster(name)));
  const created =
    missing.length === 0 || (await admin.create(missing.map((topic) => newTopic(topic, names, replicationFactor))));
  // Another process may have created some at the same time: then all are looked at.
  const toCheck = created ? wanted.filter((topic) => !missing.includes(topic)) : wanted;
  if (toCheck.length === 0) return;
  const counts = created ? existing : await admin.partitionCounts();
  const configs = await admin.configs(toCheck.map(({ name }) => names.inCluster(name)));
  for (const topic of toCheck) {
    const nameInCluster = names.inCluster(topic.name);
    assertFits(topic, counts.get(nameInCluster), configs.get(nameInCluster) ?? []);
  }
  for (const topic of toCheck) {
    const nameInCluster = names.inCluster(topic.name);
    const own = new Map(
      (configs.get(nameInCluster) ?? []).filter((config) => config.own).map(({ name, value }) => [name, value]),
    );
    const retention = retentionConfigs(topic);
    if (Object.entries(retention).every(([name, value]) => own.get(name) === value)) continue;
    await admin.replaceConfigs(nameInCluster, new Map([...own, ...Object.entries(retention)]));
  }
}

function newTopic(topic: TopicSettings, names: Names, replicationFactor: number): NewTopic {
  return {
    topic: names.inCluster(topic.name),
    partitions: topic.partitions,
    replicationFactor,
    configs: {
      'cleanup.policy': 'delete',
      'max.message.bytes': String(brokerLimit(topic)),
      // What others may publish compressed is stored so that this client can read it.
      'compression.type': 'uncompressed',
      ...retentionConfigs(topic),
    },
  };
}

/** Only whole segments expire, so those of requests must be short-lived too. */
const retentionConfigs = ({ class: topicClass, retentionMs }: TopicSettings): Record<string, string> => ({
  'retention.ms': String(retentionMs),
  ...(topicClass === 'request' ? { 'segment.ms': String(Math.max(minSegmentMs, retentionMs)) } : {}),
});

function assertFits(topic: TopicSettings, partitions: number | undefined, configs: readonly TopicConfig[]): void {
  if (partitions !== topic.partitions) {
    throw refused(
      topic.name,
      `${partitions ?? 'no'} partitions, not ${topic.partitions}: set that number, since order per key depends on it, ` +
        'or run `sluice topics resize`',
    );
  }
  const valueOf = (name: string): string | undefined => configs.find((config) => config.name === name)?.value;
  const limit = Number(valueOf('max.message.bytes'));
  if (limit < brokerLimit(topic)) {
    throw refused(
      topic.name,
      `max.message.bytes ${limit}, below ${brokerLimit(topic)}: raise it with Kafka's own kafka-configs tool`,
    );
  }
  const policy = valueOf('cleanup.policy');
  if (policy !== undefined && policy !== 'delete') {
    throw refused(topic.name, `cleanup.policy "${policy}": compaction would lose messages, so it must be "delete"`);
  }
}

const refused = (topic: string, has: string): SluiceError =>
  new SluiceError('configuration-invalid', `topic "${topic}" exists with ${has}`);
