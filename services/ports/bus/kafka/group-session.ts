import { setTimeout as delay } from 'node:timers/promises';
import type { EachBatchPayload, GroupConsumer, KafkaClient, Offsets, PartitionAssigner } from './kafka-client.js';

export type CommitOffsets = (offsets: Offsets) => Promise<void>;

/** Partitions by topic; names as in the cluster. */
export type GroupAssignment = Readonly<Record<string, readonly number[]>>;

interface SessionOptions {
  readonly client: KafkaClient;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly assigner: PartitionAssigner;
  /** Without any sign of life for so long, the client is given up. */
  readonly silenceMs: number;
  /** Called before anything of the new generation is fetched. Must not throw, as none of these. */
  joined(assignment: GroupAssignment): void;
  batch(payload: EachBatchPayload): void;
}

const closeMs = 10_000;
const watchEveryMs = 1_000;

/** One life of a group consumer, from its connection to its crash. Nothing is ever thrown into the client. */
export class GroupSession {
  /** Resolves with the reason when the client has given up; never otherwise. */
  readonly ended: Promise<Error>;
  readonly #options: SessionOptions;
  readonly #consumer: GroupConsumer;
  #end: (reason: Error) => void = () => undefined;
  #over = false;
  #lastSign = performance.now();
  #running: Promise<void> = Promise.resolve();
  #watch: NodeJS.Timeout | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#consumer = options.client.consumer(options.groupId, options.assigner);
    this.ended = new Promise((resolve) => {
      this.#end = (reason) => {
        this.#over = true;
        clearInterval(this.#watch);
        resolve(reason);
      };
    });
  }

  /** Connects, and begins to join. Rejects if the cluster or a topic cannot be had. */
  async start(): Promise<void> {
    const { topics, silenceMs, joined, batch } = this.#options;
    const consumer = this.#consumer;
    const { GROUP_JOIN, CRASH, HEARTBEAT, FETCH, FETCH_START } = consumer.events;
    const alive = (): void => {
      this.#lastSign = performance.now();
    };
    consumer.on(HEARTBEAT, alive);
    consumer.on(FETCH, alive);
    consumer.on(FETCH_START, alive);
    consumer.on(GROUP_JOIN, ({ payload }) => {
      alive();
      if (!this.#over) joined(payload.memberAssignment);
    });
    consumer.on(CRASH, ({ payload }) => {
      this.#end(payload.error);
    });
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    } catch (error) {
      this.#end(new Error('never started'));
      consumer.disconnect().catch(() => undefined);
      throw error;
    }
    alive();
    this.#watch = setInterval(() => {
      if (performance.now() - this.#lastSign > silenceMs) this.#end(new Error(`silent for ${silenceMs} ms`));
    }, watchEveryMs).unref();
    this.#running = consumer
      .run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async (payload) => {
          if (!this.#over) batch(payload);
        },
      })
      .catch((error: unknown) => {
        this.#end(error instanceof Error ? error : new Error(String(error)));
      });
  }

  pause(topic: string, partition: number): void {
    this.#tell(() => {
      this.#consumer.pause([{ topic, partitions: [partition] }]);
    });
  }

  resume(topic: string, partition: number): void {
    this.#tell(() => {
      this.#consumer.resume([{ topic, partitions: [partition] }]);
    });
  }

  seek(topic: string, partition: number, offset: bigint): void {
    this.#tell(() => {
      this.#consumer.seek({ topic, partition, offset: String(offset) });
    });
  }

  /**
   * For the time before the first batch, which brings a way to commit that is tried once. This one is tried again by the
   * client, and then with the generation of that moment.
   */
  readonly commit: CommitOffsets = ({ topics }) =>
    this.#consumer.commitOffsets(
      topics.flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, ...partition }))),
    );

  /** Leaves the group, if a broker can be reached soon. */
  async close(): Promise<void> {
    this.#end(new Error('closed'));
    const consumer = this.#consumer;
    const leave = async (): Promise<void> => {
      // A client that is stopped while it starts would go on afterwards.
      await this.#running;
      await consumer.disconnect();
    };
    await Promise.race([leave().catch(() => undefined), delay(closeMs, undefined, { ref: false })]);
  }

  /** Between two lives there is nobody to tell. */
  #tell(what: () => void): void {
    if (this.#over) return;
    try {
      what();
    } catch {
      // Said again at the next join.
    }
  }
}
