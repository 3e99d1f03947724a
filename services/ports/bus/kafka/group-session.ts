import { setTimeout as delay } from 'node:timers/promises';
import type {
  Cluster,
  EachBatchPayload,
  GroupConsumer,
  KafkaClient,
  Offsets,
  PartitionAssigner,
} from './kafka-client.js';

export type CommitOffsets = (offsets: Offsets) => Promise<void>;

/** Partitions by topic; names as in the cluster. */
export type GroupAssignment = Readonly<Record<string, readonly number[]>>;

interface SessionOptions {
  readonly client: KafkaClient;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly assigner: PartitionAssigner;
  /** The member that this process was before its client crashed. */
  readonly predecessor: string | undefined;
  /** Without any sign of life for so long, the client is given up. */
  readonly silenceMs: number;
  /** Called before anything of the new generation is fetched. Must not throw, as none of these. */
  joined(assignment: GroupAssignment): void;
  batch(payload: EachBatchPayload): void;
  /** The group is to change: resolves when what is handled quickly has been, so that others need not do it again. */
  settled(): Promise<void>;
}

interface Coordinator {
  leaveGroup(request: { readonly groupId: string; readonly memberId: string }): Promise<unknown>;
}

/** The client has it, its types do not say so. */
const takesLeave = (value: unknown): value is Coordinator =>
  typeof value === 'object' && value !== null && 'leaveGroup' in value && typeof value.leaveGroup === 'function';

const closeMs = 10_000;
const watchEveryMs = 1_000;

/** One life of a group consumer, from its connection to its crash. Nothing is ever thrown into the client. */
export class GroupSession {
  /** Resolves with the reason when the client has given up; never otherwise. */
  readonly ended: Promise<Error>;
  readonly #options: SessionOptions;
  readonly #consumer: GroupConsumer;
  #cluster: Cluster | undefined;
  #memberId: string | undefined;
  #end: (reason: Error) => void = () => undefined;
  #over = false;
  #lastSign = performance.now();
  #running: Promise<void> = Promise.resolve();
  #watch: NodeJS.Timeout | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#memberId = options.predecessor;
    this.#consumer = options.client.consumer(options.groupId, (given) => {
      this.#cluster = given.cluster;
      return options.assigner(given);
    });
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
    const { topics, silenceMs, joined, batch, settled } = this.#options;
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
      this.#memberId = payload.memberId;
      if (!this.#over) joined(payload.memberAssignment);
    });
    consumer.on(CRASH, ({ payload }) => {
      this.#end(payload.error);
    });
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [...topics], fromBeginning: true });
      await this.#buryPredecessor();
    } catch (error) {
      this.#end(new Error('never started'));
      consumer.disconnect().catch(() => undefined);
      throw error;
    }
    if (this.#over) {
      // Closed meanwhile: from here on it would run for ever.
      await consumer.disconnect().catch(() => undefined);
      return;
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
          if (this.#over) return;
          try {
            await payload.heartbeat();
          } catch {
            // The client hears the same at its next heartbeat, which follows when this returns, and joins again.
            await settled();
            return;
          }
          batch(payload);
        },
      })
      .catch((error: unknown) => {
        this.#end(error instanceof Error ? error : new Error(String(error)));
      });
  }

  /** Who this process is, or was last, in the group. */
  get memberId(): string | undefined {
    return this.#memberId;
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

  /** The group would wait for it until its session ends. */
  async #buryPredecessor(): Promise<void> {
    const { groupId, predecessor } = this.#options;
    if (predecessor === undefined) return;
    try {
      const coordinator: unknown = await this.#cluster?.findGroupCoordinator({ groupId });
      if (takesLeave(coordinator)) await coordinator.leaveGroup({ groupId, memberId: predecessor });
    } catch {
      // Then the session runs out.
    }
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
