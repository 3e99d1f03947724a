import type { BusRecord, Consumer, ConsumerEvents, TopicPartition } from '../../ports/bus/port.js';
import { PartitionProgress } from './partition-progress.js';
import type { StartFindings } from './start-ledger.js';
import { newTask, type Task } from './task.js';

interface IntakeOptions {
  readonly maxFetchedBytes: number;
  findings(partitions: readonly TopicPartition[]): Promise<readonly StartFindings[]>;
  add(task: Task): void;
  revoke(progress: PartitionProgress): void;
  fatal(error: Error): void;
}

interface Assigned {
  readonly progress: PartitionProgress;
  findings: StartFindings | undefined;
  /** Records that came before the findings. */
  early: BusRecord[];
  paused: boolean;
  alone: boolean;
  /** How many messages are still to be handled one at a time. */
  aloneLeft: number;
}

/** Messages that wait for one unfinished one before them: enough, since each would be handled again after a crash. */
const maxTrackedPerPartition = 20_000;
/** Of the messages that may have been in hand when a process died, the most that hold up all others. */
const handledAlone = 100;
const askTogetherMs = 2;

/** Takes records from a consumer and makes tasks of them, no more than memory allows. */
export class Intake implements ConsumerEvents {
  readonly #options: IntakeOptions;
  readonly #partitions = new Map<string, Assigned>();
  #consumer: Consumer | undefined;
  readonly #unasked: Assigned[] = [];
  #bytes = 0;
  #stopped = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  attach(consumer: Consumer): void {
    this.#consumer = consumer;
    this.regulate();
  }

  bytes(): number {
    return this.#bytes;
  }

  assigned(partitions: readonly TopicPartition[]): void {
    const gained = partitions.filter((partition) => !this.#partitions.has(name(partition)));
    const states = gained.map((partition): Assigned => {
      const progress = new PartitionProgress(partition);
      return { progress, findings: undefined, early: [], paused: false, alone: false, aloneLeft: 0 };
    });
    for (const state of states) this.#partitions.set(name(state.progress), state);
    this.regulate();
  }

  revoked(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) {
      const state = this.#partitions.get(name(partition));
      if (state === undefined) continue;
      this.#partitions.delete(name(partition));
      state.progress.revoked = true;
      this.#options.revoke(state.progress);
    }
    this.regulate();
  }

  records(partition: TopicPartition, records: readonly BusRecord[]): void {
    const state = this.#partitions.get(name(partition));
    if (state === undefined || this.#stopped) return;
    if (state.findings === undefined) {
      if (state.early.length === 0) this.#ask(state);
      state.early.push(...records);
    } else for (const record of records) this.#take(state, state.findings, record);
    this.regulate();
  }

  fatal(error: Error): void {
    this.#options.fatal(error);
  }

  /** A task is out of memory. */
  release(task: Task): void {
    this.#bytes -= task.bytes;
  }

  /** No more records from now on. */
  stop(): void {
    this.#stopped = true;
    this.regulate();
  }

  /** Pauses or resumes partitions as memory and unfinished messages demand. */
  regulate(): void {
    const consumer = this.#consumer;
    if (consumer === undefined) return;
    const { maxFetchedBytes } = this.#options;
    for (const state of this.#partitions.values()) {
      // Resumes only well below the limits, so that it does not flap.
      const share = state.paused ? 0.75 : 1;
      const full = this.#bytes >= maxFetchedBytes * share || state.progress.tracked >= maxTrackedPerPartition * share;
      const pause = this.#stopped || state.early.length > 0 || full;
      if (pause === state.paused) continue;
      state.paused = pause;
      if (pause) consumer.pause(state.progress);
      else consumer.resume(state.progress);
    }
  }

  /** Asks what is known of partitions that have something for the first time, those of about the same time together. */
  #ask(state: Assigned): void {
    this.#unasked.push(state);
    if (this.#unasked.length > 1) return;
    setTimeout(() => {
      const states = this.#unasked.splice(0);
      void this.#options.findings(states.map(({ progress }) => progress)).then((findings) => {
        states.forEach((each, index) => {
          this.#open(each, findings[index] ?? { alone: false, deadly: undefined });
        });
        this.regulate();
      });
    }, askTogetherMs);
  }

  #open(state: Assigned, findings: StartFindings): void {
    if (state.progress.revoked || this.#stopped) return;
    state.findings = findings;
    state.alone = findings.alone;
    state.aloneLeft = handledAlone;
    const { early } = state;
    state.early = [];
    for (const record of early) this.#take(state, findings, record);
  }

  #take(state: Assigned, { deadly }: StartFindings, record: BusRecord): void {
    const { progress } = state;
    // Messages of a key share a lane, so those handled alone must be through before others have lanes of their own.
    const alone = state.alone && (state.aloneLeft > 0 || progress.open > 0);
    if (!progress.begin(record)) return;
    state.alone = alone;
    state.aloneLeft--;
    const deaths = deadly?.offset === record.offset ? deadly.deaths : undefined;
    const task = newTask(record, progress, { alone, deaths });
    this.#bytes += task.bytes;
    this.#options.add(task);
  }
}

const name = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;
