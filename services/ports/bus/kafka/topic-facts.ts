import { noSuchTopic } from './broker-errors.js';
import type { ClusterAdmin } from './cluster-admin.js';
import { messageLimit } from './ensure-topics.js';

export interface TopicFacts {
  readonly partitions: number;
  /** Of one message; infinite where we may not know, and then the broker says so. */
  readonly maxMessageBytes: number;
}

const freshMs = 60_000;

/** What publishing must know of topics, looked up for all at once and again now and then. Names as in the cluster. */
export class TopicFactsCache {
  readonly #admin: ClusterAdmin;
  readonly #ours: (nameInCluster: string) => boolean;
  #facts: ReadonlyMap<string, TopicFacts> = new Map();
  #loadedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  constructor(admin: ClusterAdmin, ours: (nameInCluster: string) => boolean) {
    this.#admin = admin;
    this.#ours = ours;
  }

  /** What is known of these topics. Throws configuration-invalid if one does not exist. */
  async of(topics: ReadonlySet<string>): Promise<ReadonlyMap<string, TopicFacts>> {
    const missing = (): boolean => [...topics].some((topic) => !this.#facts.has(topic));
    if (missing()) {
      // A load under way may have begun before the topic was there.
      if (this.#loading !== undefined) await this.#loading;
      if (missing()) await this.#load();
    } else if (performance.now() - this.#loadedAt > freshMs) {
      // Partitions are added rarely, and then nobody publishes: what is known will do meanwhile.
      this.#load().catch(() => undefined);
    }
    for (const topic of topics) if (!this.#facts.has(topic)) throw noSuchTopic(topic);
    return this.#facts;
  }

  forget(): void {
    this.#facts = new Map();
  }

  #load(): Promise<void> {
    return (this.#loading ??= this.#ask().finally(() => {
      this.#loading = undefined;
    }));
  }

  async #ask(): Promise<void> {
    const counts = [...(await this.#admin.partitionCounts())].filter(([name]) => this.#ours(name));
    // Users that may publish may not always see settings.
    const configs = await this.#admin.configs(counts.map(([name]) => name)).catch(() => new Map<string, never>());
    this.#facts = new Map(
      counts.map(([name, partitions]) => {
        const limit = configs.get(name)?.find((config) => config.name === 'max.message.bytes')?.value;
        return [
          name,
          { partitions, maxMessageBytes: limit === undefined ? Number.POSITIVE_INFINITY : messageLimit(Number(limit)) },
        ];
      }),
    );
    this.#loadedAt = performance.now();
  }
}
