import type { Logger } from 'pino';
import type { BatchLimits } from '../processor.js';
import type { Attempts, Outcome } from './attempt.js';
import { HandlingEnded, endingOf, type EndReason } from './ending.js';
import type { Failures } from './failures.js';
import { processIsolation } from './isolation.js';
import { KeyedQueue, type Lane, type Taken } from './keyed-queue.js';
import type { HandledOutcome } from './metrics.js';
import type { PartitionProgress } from './partition-progress.js';
import { deadlineOf } from './request-watch.js';
import type { Task } from './task.js';
import { asError, classOf } from './thrown.js';

export interface DispatcherOptions {
  readonly concurrency: number;
  readonly limits: BatchLimits;
  readonly attempts: Attempts;
  readonly failures: Failures;
  readonly log: Logger;
  readonly request: boolean;
  /** Notes durably that the message is about to be handled alone. */
  /** It is about to be handled, and nothing else in this process. */
  aloneInHand(task: Task): Promise<void>;
  /** It is out of hand, whatever came of it. */
  aloneDone(task: Task): Promise<void>;
  /** The message is finished; resolves when that is committed if it was handled alone. */
  finished(task: Task, outcome: HandledOutcome): Promise<void>;
  /** The message was dropped unfinished. */
  dropped(task: Task): void;
}

interface Running {
  readonly taken: readonly Taken<Task>[];
  readonly controller: AbortController;
}

/** What a lane is given back with. */
interface Rest {
  readonly unfinished: readonly Task[];
  readonly delayMs: number;
}

const maxTimerMs = 2 ** 31 - 1;
/** After a fault of this code itself; nothing that a handler does leads here. */
const faultDelayMs = 1_000;
const heldDelayMs = 100;
/** So many messages within the longer wait for more: it is worth it. */
const busyArrivals = 8;

/** Hands queued messages to handlers: so many at once, one at a time per key, in order. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #queue: KeyedQueue<Task>;
  readonly #running = new Set<Running>();
  /** Halved while whole batches meet an outage, in case one message causes it; doubled by every batch that passes. */
  #maxItems: number;
  #pumping = false;
  #stopping = false;
  #linger: NodeJS.Timeout | undefined;
  #idle: (() => void) | undefined;
  /** When the last messages came, oldest first. */
  readonly #arrivals: number[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#maxItems = options.limits.maxItems;
    this.#queue = new KeyedQueue(() => {
      this.#schedule();
    });
  }

  add(task: Task): void {
    this.#arrivals.push(Date.now());
    if (this.#arrivals.length > busyArrivals) this.#arrivals.shift();
    this.#queue.add(laneKey(task), task);
  }

  /** Drops what is queued of a partition that is no longer ours and aborts what runs. */
  revoke(progress: PartitionProgress): void {
    for (const task of this.#queue.drop((queued) => queued.progress === progress)) this.#options.dropped(task);
    this.#abort('revoked', (task) => task.progress === progress);
  }

  /** Aborts the handler of a request whose asker has left. */
  cancel(correlationId: string): void {
    this.#abort('cancelled', (task) => task.record.headers['correlation-id'] === correlationId);
  }

  /** Starts nothing more; what runs may take `graceMs` until it is aborted. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#linger);
    for (const task of this.#queue.drop(() => true)) this.#options.dropped(task);
    if (this.#running.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    const timer = setTimeout(() => {
      this.#abort('stopping', () => true);
    }, graceMs);
    await idle;
    clearTimeout(timer);
  }

  #abort(reason: EndReason, concerned: (task: Task) => boolean): void {
    for (const { taken, controller } of this.#running) {
      if (taken.some(({ items }) => items.some(concerned))) controller.abort(new HandlingEnded(reason));
    }
  }

  #schedule(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { concurrency } = this.#options;
    clearTimeout(this.#linger);
    while (!this.#stopping && this.#running.size < concurrency) {
      const limits = { ...this.#options.limits, maxItems: this.#maxItems };
      const ready = this.#queue.ready(limits);
      if (ready === undefined) return;
      const waitMs = ready.full ? 0 : ready.since + this.#lingerMs() - Date.now();
      if (waitMs > 0) {
        this.#linger = setTimeout(() => {
          this.#pump();
        }, waitMs);
        return;
      }
      const running = { taken: this.#queue.take(limits), controller: new AbortController() };
      this.#running.add(running);
      void this.#run(running);
    }
  }

  /** How long a batch waits for more: longer while many come, so that what comes alone is not held up. */
  #lingerMs(): number {
    const { lingerMs, busyLingerMs = lingerMs } = this.#options.limits;
    const [oldest] = this.#arrivals;
    const busy = oldest !== undefined && this.#arrivals.length === busyArrivals && Date.now() - oldest <= busyLingerMs;
    return busy ? busyLingerMs : lingerMs;
  }

  /** Never rejects: whatever happens, each lane is given back and the slot is free again. */
  async #run(running: Running): Promise<void> {
    const rests = new Map<Lane<Task>, Rest>(
      running.taken.map(({ lane, items }) => [lane, { unfinished: items, delayMs: faultDelayMs }]),
    );
    try {
      await this.#attempt(running, rests);
    } catch (error) {
      this.#options.log.error({ err: asError(error) }, 'a fault of the delivery itself; the messages are tried again');
    }
    this.#running.delete(running);
    for (const [lane, { unfinished, delayMs }] of rests) {
      const kept = unfinished.filter(({ progress }) => !progress.revoked && !this.#stopping);
      for (const task of unfinished) if (!kept.includes(task)) this.#options.dropped(task);
      this.#queue.giveBack(lane, kept, delayMs);
    }
    if (this.#running.size === 0) this.#idle?.();
    this.#schedule();
  }

  async #attempt({ taken, controller }: Running, rests: Map<Lane<Task>, Rest>): Promise<void> {
    const { signal } = controller;
    const tasks = taken.flatMap(({ items }) => items);
    const timer = this.#options.request ? deadlineTimer(tasks, controller) : undefined;
    let leave: (() => void) | undefined;
    try {
      leave = await processIsolation.enter(
        tasks.some(({ alone }) => alone),
        signal,
      );
      for (const task of tasks) if (task.alone) await this.#options.aloneInHand(task);
      const outcomes = await this.#options.attempts.run(taken, signal);
      this.#adapt(tasks.length, [...outcomes.values()]);
      for (const { lane, items } of taken) {
        // As long as nothing is settled, all of it is to be tried again at once.
        rests.set(lane, { unfinished: items, delayMs: 0 });
        await this.#settle(lane, items, outcomes, signal, rests);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      for (const [lane, { unfinished }] of rests) {
        rests.set(lane, { unfinished, delayMs: 0 });
        const ending = endingOf(signal);
        if (ending === 'revoked' || ending === 'stopping') continue;
        rests.set(lane, { unfinished: [], delayMs: 0 });
        for (const task of unfinished)
          await this.#options.finished(task, ending === 'deadline' ? 'expired' : 'cancelled');
      }
    } finally {
      if (leave !== undefined) for (const task of tasks) if (task.alone) await this.#options.aloneDone(task);
      leave?.();
      clearTimeout(timer);
    }
  }

  /** Messages of one key in order; the first that is not finished holds the rest. */
  async #settle(
    lane: Lane<Task>,
    items: readonly Task[],
    outcomes: ReadonlyMap<Task, Outcome>,
    signal: AbortSignal,
    rests: Map<Lane<Task>, Rest>,
  ): Promise<void> {
    const { failures, finished } = this.#options;
    for (const [index, task] of items.entries()) {
      const outcome = outcomes.get(task) ?? { kind: 'held' };
      if (outcome.kind === 'held') {
        // Held by nothing but its handler: not to be asked again at once.
        if (index === 0) rests.set(lane, { unfinished: items, delayMs: heldDelayMs });
        return;
      }
      if (outcome.kind === 'failed') {
        const verdict = await failures.settle(task, outcome.failure, signal);
        if (verdict !== 'finished') {
          rests.set(lane, { unfinished: items.slice(index), delayMs: verdict.retryInMs });
          return;
        }
        await finished(task, this.#options.request ? 'error-reply' : 'dead-letter');
      } else if (outcome.kind === 'unwanted') {
        await finished(task, outcome.because);
      } else {
        failures.passed(task, outcome.outputs);
        await finished(task, 'done');
      }
      rests.set(lane, { unfinished: items.slice(index + 1), delayMs: 0 });
    }
  }

  #adapt(size: number, outcomes: readonly Outcome[]): void {
    const outage = ({ kind, ...rest }: Outcome): boolean =>
      kind === 'failed' && 'failure' in rest && classOf(rest.failure.thrown) === 'unavailable';
    if (outcomes.every(outage)) this.#maxItems = Math.max(1, size >> 1);
    else this.#maxItems = Math.min(this.#options.limits.maxItems, this.#maxItems * 2);
  }
}

/** One lane per key; of a partition that is handled message by message, one lane for all. */
const laneKey = ({ alone, record: { topic, partition, key, offset } }: Task): string => {
  const place = `${topic}/${partition}`;
  if (alone) return place;
  return key === null ? `${place}@${offset}` : `${place}/${key}`;
};

function deadlineTimer(tasks: readonly Task[], controller: AbortController): NodeJS.Timeout | undefined {
  const deadlines = tasks.map(({ record }) => deadlineOf(record.headers) ?? Number.POSITIVE_INFINITY);
  const waitMs = Math.max(...deadlines) - Date.now();
  if (waitMs > maxTimerMs) return undefined;
  return setTimeout(() => {
    controller.abort(new HandlingEnded('deadline'));
  }, waitMs);
}
