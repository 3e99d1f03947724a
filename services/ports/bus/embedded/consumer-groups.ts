import type { EmbeddedConsumer } from './embedded-consumer.js';
import type { PartitionLog } from './partition-log.js';

/** The groups of one bus and who of their members reads what. */
export class ConsumerGroups {
  readonly #groups = new Map<string, Set<EmbeddedConsumer>>();
  readonly #logsOf: (topic: string) => readonly PartitionLog[];
  readonly #resumeAt: (consumer: EmbeddedConsumer, log: PartitionLog) => bigint;

  /** `resumeAt` says where a consumer that is given a partition goes on. */
  constructor(
    logsOf: (topic: string) => readonly PartitionLog[],
    resumeAt: (consumer: EmbeddedConsumer, log: PartitionLog) => bigint,
  ) {
    this.#logsOf = logsOf;
    this.#resumeAt = resumeAt;
  }

  all(): readonly EmbeddedConsumer[] {
    return [...this.#groups.values()].flatMap((members) => [...members]);
  }

  join(consumer: EmbeddedConsumer): void {
    const { group } = consumer.options;
    const members = this.#groups.get(group) ?? new Set();
    this.#groups.set(group, members.add(consumer));
    this.#share(members);
  }

  leave(consumer: EmbeddedConsumer): void {
    const { group } = consumer.options;
    const members = this.#groups.get(group);
    if (members?.delete(consumer) !== true) return;
    if (members.size === 0) this.#groups.delete(group);
    else this.#share(members);
  }

  /** The lowest position of any consumer of `log`, or undefined without one. */
  lowestPosition(log: PartitionLog): bigint | undefined {
    let lowest: bigint | undefined;
    for (const consumer of this.all()) {
      const position = consumer.position(log);
      if (position !== undefined && (lowest === undefined || position < lowest)) lowest = position;
    }
    return lowest;
  }

  /** Consumers of `log` have something to read. */
  wake(log: PartitionLog): void {
    for (const members of this.#groups.values()) {
      for (const consumer of members) if (consumer.position(log) !== undefined) consumer.wake();
    }
  }

  /** Deals each topic's partitions out in turn; first everyone loses what moves, then everyone gains. */
  #share(members: ReadonlySet<EmbeddedConsumer>): void {
    const wanted = new Map<EmbeddedConsumer, PartitionLog[]>();
    for (const consumer of members) wanted.set(consumer, []);
    const topics = new Set([...members].flatMap((consumer) => consumer.options.topics));
    for (const topic of topics) {
      const readers = [...members].filter((consumer) => consumer.options.topics.includes(topic));
      this.#logsOf(topic).forEach((log, index) => {
        const reader = readers[index % readers.length];
        if (reader !== undefined) wanted.get(reader)?.push(log);
      });
    }
    for (const [consumer, logs] of wanted) {
      consumer.revoke(consumer.logs().filter((log) => !logs.includes(log)));
    }
    for (const [consumer, logs] of wanted) {
      const held = new Set(consumer.logs());
      const gained = logs.filter((log) => !held.has(log));
      consumer.assign(gained.map((log) => ({ log, position: this.#resumeAt(consumer, log) })));
    }
  }
}
