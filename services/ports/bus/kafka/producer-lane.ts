import { setTimeout as delay } from 'node:timers/promises';
import { SluiceError } from '../../../domain/errors.js';
import {
  isBrokenProducer,
  isRefusal,
  isTooLarge,
  isUnknownTopic,
  noSuchTopic,
  translateError,
} from './broker-errors.js';
import type { KafkaClient, Producer, Warn } from './kafka-client.js';
import { PartitionQueues } from './partition-queues.js';
import { settleAll, type Batch, type Outgoing } from './publication.js';

interface LaneOptions {
  readonly client: KafkaClient;
  readonly publishTimeoutMs: number;
  readonly warn: Warn;
}

const firstRetryMs = 100;
const maxRetryMs = 2_000;
/** A producer that has failed so often in a row may be stuck in what it remembers of the cluster. */
const roundsPerProducer = 20;
const expiryCheckMs = 500;

/**
 * One idempotent producer that has one batch of one partition under way at a time. The producer takes its sequence
 * numbers back when a request fails: sent again next, and as it was, the batch gets the same numbers and the broker
 * knows it. Anything sent in between would take its numbers and be dropped as a duplicate; with several partitions in
 * one request, those of another broker would be sent again with new numbers.
 */
export class ProducerLane {
  readonly #options: LaneOptions;
  readonly #queues = new PartitionQueues();
  readonly #closing = new AbortController();
  #producer: Producer | undefined;
  #running: Promise<void> | undefined;
  #expiry: NodeJS.Timeout | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  add(topic: string, partition: number, maxBatchBytes: number, record: Outgoing): void {
    this.#queues.add(topic, partition, maxBatchBytes, record);
    this.#running ??= this.#run();
  }

  /** Gives what is under way `graceMs`; what is not acknowledged by then fails as unavailable. */
  async close(graceMs: number): Promise<void> {
    await Promise.race([this.#running, delay(graceMs, undefined, { ref: false })]);
    this.#closing.abort();
    clearInterval(this.#expiry);
    settleAll(this.#queues.takeOlderThan(Number.POSITIVE_INFINITY), { error: closed() });
    await this.#dropProducer();
  }

  async #run(): Promise<void> {
    // Whoever publishes in the same turn joins the first batch.
    await Promise.resolve();
    this.#expiry = setInterval(() => {
      this.#expire();
    }, expiryCheckMs).unref();
    while (!this.#queues.empty && !this.#closing.signal.aborted) {
      // Only what is not taken yet can be given up, so nothing is taken without a connection.
      const producer = await this.#connected();
      const batch = producer === undefined ? undefined : this.#queues.take();
      if (batch !== undefined) await this.#deliver(batch);
    }
    clearInterval(this.#expiry);
    this.#running = undefined;
  }

  async #deliver(batch: Batch): Promise<void> {
    const { topic, partition, records } = batch;
    for (let round = 1; !this.#closing.signal.aborted; round++) {
      const producer = await this.#connected();
      if (producer === undefined) break;
      try {
        const sent = await producer.send({ topic, messages: records.map(({ message }) => message) });
        if (sent.some((each) => each.partition === partition)) {
          settleAll(records);
          return;
        }
        // It sends nothing, and calls that a success, when it has not heard of the partition: it is a new one.
        await this.#dropProducer();
        await this.#pause(round);
      } catch (error) {
        if (isTooLarge(error)) {
          await this.#deliverParts(batch, error);
          return;
        }
        if (isRefusal(error)) {
          settleAll(records, { error: translateError(error, `publishing to "${topic}"`) });
          return;
        }
        if (isUnknownTopic(error)) {
          // It would go on asking for this topic with every other one.
          await this.#dropProducer();
          settleAll(records, { error: noSuchTopic(topic, error) });
          return;
        }
        this.#options.warn('could not publish, trying again', { topic, partition, error: String(error), round });
        if (isBrokenProducer(error) || round % roundsPerProducer === 0) await this.#dropProducer();
        await this.#pause(round);
      }
    }
    settleAll(records, { error: closed() });
  }

  /** A limit is on the whole batch, too: halves go through unless a single record is over it. */
  async #deliverParts({ topic, partition, records }: Batch, error: unknown): Promise<void> {
    if (records.length === 1) {
      const [{ bytes } = { bytes: 0 }] = records;
      const message = `a message of ${bytes} bytes is over the limit of topic "${topic}"`;
      settleAll(records, { error: new SluiceError('too-large', message, { cause: error }) });
      return;
    }
    const half = records.length >> 1;
    await this.#deliver({ topic, partition, records: records.slice(0, half) });
    await this.#deliver({ topic, partition, records: records.slice(half) });
  }

  /** The producer, connected; undefined when the lane is closed or nothing waits any more. */
  async #connected(): Promise<Producer | undefined> {
    for (let round = 1; !this.#closing.signal.aborted; round++) {
      if (this.#producer !== undefined) return this.#producer;
      const producer = this.#options.client.producer();
      try {
        await producer.connect();
        this.#producer = producer;
      } catch (error) {
        this.#options.warn('could not connect to publish, trying again', { error: String(error), round });
        producer.disconnect().catch(() => undefined);
        await this.#pause(round);
      }
    }
    return undefined;
  }

  async #dropProducer(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    await producer?.disconnect().catch(() => undefined);
  }

  #expire(): void {
    const { publishTimeoutMs } = this.#options;
    const expired = this.#queues.takeOlderThan(performance.now() - publishTimeoutMs);
    if (expired.length === 0) return;
    const message = `nothing could be published for ${publishTimeoutMs} ms: check that Kafka can be reached`;
    settleAll(expired, { error: new SluiceError('unavailable', message) });
  }

  async #pause(round: number): Promise<void> {
    const ms = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(round, 10)) * (0.5 + Math.random() / 2);
    await delay(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }
}

const closed = (): SluiceError => new SluiceError('unavailable', 'the bus was closed before Kafka had the message');
