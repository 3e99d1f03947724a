import { SluiceError } from '../../../domain/errors.js';
import type { OutgoingRecord, TopicDescription, TopicSettings } from '../port.js';
import { DurableLog } from './durable-log.js';
import { MemoryLog } from './memory-log.js';
import { put, type Store, type StoredTopic } from './store.js';

export interface OpenTopic extends StoredTopic {
  readonly name: string;
  readonly logs: readonly (DurableLog | MemoryLog)[];
}

/** Kafka's own default, so that both refuse the same messages. */
const defaultMaxMessageBytes = 1024 * 1024;

const refused = (topic: string, why: string): SluiceError =>
  new SluiceError('configuration-invalid', `topic "${topic}" exists with ${why}`);

/** The topics of one bus, as the store has them. */
export class TopicTable {
  readonly #store: Store;
  readonly #topics = new Map<string, OpenTopic>();

  constructor(store: Store) {
    this.#store = store;
    for (const { key, value } of store.topics.getRange({})) this.#open(key, value);
  }

  /** Throws configuration-invalid for a topic that was never created. */
  get(name: string): OpenTopic {
    const topic = this.#topics.get(name);
    if (topic !== undefined) return topic;
    throw new SluiceError('configuration-invalid', `there is no topic "${name}": topics are created at start`);
  }

  all(): readonly OpenTopic[] {
    return [...this.#topics.values()];
  }

  /** Throws too-large for a record over its topic's limit. */
  assertFits(topic: OpenTopic, record: OutgoingRecord): void {
    const bytes = record.value.length + (record.key === null ? 0 : Buffer.byteLength(record.key));
    if (bytes <= topic.maxMessageBytes) return;
    throw new SluiceError(
      'too-large',
      `a message of ${bytes} bytes is over the limit of topic "${topic.name}", ${topic.maxMessageBytes} bytes`,
    );
  }

  async ensure(wanted: readonly TopicSettings[]): Promise<void> {
    for (const settings of wanted) this.#assertCompatible(settings);
    let nextId = Math.max(0, ...this.all().map(({ id }) => id)) + 1;
    const changed = wanted.flatMap((settings): readonly [string, StoredTopic][] => {
      const { name, partitions, retentionMs, maxMessageBytes = defaultMaxMessageBytes } = settings;
      const existing = this.#topics.get(name);
      if (existing?.retentionMs === retentionMs) return [];
      if (existing === undefined) {
        return [[name, { id: nextId++, class: settings.class, partitions, retentionMs, maxMessageBytes }]];
      }
      return [[name, { ...stored(existing), retentionMs }]];
    });
    if (changed.length === 0) return;
    await this.#store.commits.write(changed.length * 200, () => {
      for (const [name, topic] of changed) put(this.#store.topics, name, topic);
    });
    for (const [name, topic] of changed) this.#open(name, topic);
  }

  describe(): readonly TopicDescription[] {
    return this.all().map((topic) => ({
      name: topic.name,
      partitions: topic.partitions,
      settings: {
        class: topic.class,
        'retention.ms': String(topic.retentionMs),
        'max.message.bytes': String(topic.maxMessageBytes),
      },
    }));
  }

  #assertCompatible(settings: TopicSettings): void {
    const existing = this.#topics.get(settings.name);
    if (existing === undefined) return;
    const { name, partitions, maxMessageBytes = defaultMaxMessageBytes } = settings;
    if (existing.class !== settings.class) throw refused(name, `class ${existing.class}, not ${settings.class}`);
    if (existing.partitions !== partitions) {
      throw refused(
        name,
        `${existing.partitions} partitions, not ${partitions}: set that number, since order per key depends on it`,
      );
    }
    if (existing.maxMessageBytes < maxMessageBytes) {
      throw refused(name, `a message limit of ${existing.maxMessageBytes} bytes, below ${maxMessageBytes}`);
    }
  }

  #open(name: string, topic: StoredTopic): void {
    // A topic that is only changed keeps its logs: consumers hold on to them.
    const logs =
      this.#topics.get(name)?.logs ??
      Array.from({ length: topic.partitions }, (_, partition) =>
        topic.class === 'log' ? new DurableLog(this.#store, topic.id, name, partition) : new MemoryLog(name, partition),
      );
    this.#topics.set(name, { ...topic, name, logs });
  }
}

const stored = ({ id, class: topicClass, partitions, retentionMs, maxMessageBytes }: OpenTopic): StoredTopic => ({
  id,
  class: topicClass,
  partitions,
  retentionMs,
  maxMessageBytes,
});
