import type { Logger } from 'pino';
import type { Bus, TopicPartition } from '../../ports/bus/port.js';
import type { DeliveryLedger } from '../../ports/catalog/port.js';
import { asError } from './thrown.js';

/** What the starts at a partition's committed offset say about it. */
export interface StartFindings {
  /** Processes keep dying here: handle each message alone in the process, its offset noted first. */
  readonly alone: boolean;
  /** So many processes have died while this message, and nothing else, was in hand. */
  readonly deadly: { readonly offset: bigint; readonly deaths: number } | undefined;
}

const nothingFound: StartFindings = { alone: false, deadly: undefined };
/** From this start at the same offset on, messages are handled alone. */
const startsUntilAlone = 3;
/**
 * Once would not do: a machine that is switched off, or a kill from outside, must not make a dead letter of whatever
 * was in hand. Only deaths with the message in hand count, so kills from outside have to hit it each time.
 */
const deathsUntilDeadly = 3;

/** Finds the message that kills every process that handles it, across the deaths of those processes. */
export class StartLedger {
  readonly #counted = new Set<string>();

  constructor(
    private readonly group: string,
    private readonly bus: Bus,
    private readonly ledger: DeliveryLedger,
    private readonly log: Logger,
  ) {}

  /**
   * Counts this process's start at partitions that it meets for the first time, to be called when there is something
   * to handle: an idle partition's offset stands still without meaning anything. While the ledger cannot be reached
   * nothing is counted, and the messages are handled all the same.
   */
  async findings(partitions: readonly TopicPartition[]): Promise<readonly StartFindings[]> {
    const fresh = partitions.filter((partition) => !this.#counted.has(name(partition)));
    if (fresh.length === 0) return partitions.map(() => nothingFound);
    try {
      const raised = await this.#raise(fresh);
      return partitions.map((partition) => raised.get(name(partition)) ?? nothingFound);
    } catch (error) {
      this.log.warn(
        { err: asError(error) },
        'starts cannot be counted; a message that kills this process is not found',
      );
      return partitions.map(() => nothingFound);
    }
  }

  async noteSuspect({ topic, partition }: TopicPartition, offset: bigint): Promise<void> {
    try {
      await this.ledger.noteSuspect(this.group, topic, partition, offset);
    } catch (error) {
      this.log.warn({ err: asError(error), topic, partition, offset: String(offset) }, 'a suspect could not be noted');
    }
  }

  async releaseSuspect({ topic, partition }: TopicPartition): Promise<void> {
    try {
      await this.ledger.releaseSuspect(this.group, topic, partition);
    } catch (error) {
      this.log.warn({ err: asError(error), topic, partition }, 'a suspect that is out of hand could not be noted so');
    }
  }

  async clear(): Promise<void> {
    try {
      await this.ledger.clearStarts(this.group);
    } catch (error) {
      this.log.warn({ err: asError(error) }, 'starts could not be cleared; this stop will count as a crash');
    }
  }

  async #raise(fresh: readonly TopicPartition[]): Promise<ReadonlyMap<string, StartFindings>> {
    const committed = new Map<string, readonly bigint[]>();
    for (const topic of new Set(fresh.map((partition) => partition.topic))) {
      committed.set(topic, await this.bus.committed(this.group, topic));
    }
    const places = fresh.map(({ topic, partition }) => ({
      topic,
      partition,
      offset: committed.get(topic)?.[partition] ?? 0n,
    }));
    const counts = await this.ledger.raiseStarts(this.group, places);
    for (const place of places) this.#counted.add(name(place));
    return new Map(
      places.map((place, index) => {
        const { starts, suspect, deaths } = counts[index] ?? { starts: 0, suspect: null, deaths: 0 };
        const deadly = suspect === null || deaths < deathsUntilDeadly ? undefined : { offset: suspect, deaths };
        return [name(place), { alone: starts >= startsUntilAlone, deadly }];
      }),
    );
  }
}

const name = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;
