import type { Logger } from 'pino';
import type { Topic } from '../../../schema/topics.js';
import type { OutgoingRecord } from '../../ports/bus/port.js';
import type { AnyProcessor, Delivery, Output } from '../processor.js';
import { deadLetter } from './dead-letter.js';
import type { Emitter } from './emitter.js';
import { endingOf, pause } from './ending.js';
import { messageHeaders } from './headers.js';
import type { DeliveryMetrics } from './metrics.js';
import { errorReply } from './replies.js';
import { isIsolated, judge, type Verdict } from './retry-policy.js';
import type { DeliverySettings } from './settings.js';
import type { Task } from './task.js';
import { asError, classOf, codeOf } from './thrown.js';

export interface Failure {
  readonly thrown: unknown;
  /** Missing when the message could not be decoded. */
  readonly delivery?: Delivery<Topic> | undefined;
  /** No further attempt, whatever the error: parts of the answer are out already, or the message is deadly. */
  readonly final?: boolean;
}

interface FailuresOptions {
  readonly processor: AnyProcessor;
  /** Which server a message depends on, where the processor has several. */
  dependencyOf(task: Task): string;
  readonly emitter: Emitter;
  readonly settings: DeliverySettings;
  readonly log: Logger;
  readonly metrics: DeliveryMetrics;
}

/** Decides what follows from a failed attempt, and gives up messages for which nothing helps. */
export class Failures {
  readonly #options: FailuresOptions;
  /** Epoch ms at which a message last passed that made outputs, by flow and server: it proves that this one answers. */
  readonly #lastPass = new Map<string, number>();

  constructor(options: FailuresOptions) {
    this.#options = options;
  }

  /** A message has passed. One without outputs proves nothing: a dead version passes without any server. */
  passed(task: Task, outputs: number): void {
    if (outputs > 0) this.#lastPass.set(this.#likeness(task), Date.now());
  }

  #likeness(task: Task): string {
    return `${task.record.headers['flow'] ?? ''}\0${this.#options.dependencyOf(task)}`;
  }

  /** `finished` once the message is given up and that is durable; else when to try again. Rejects when aborted. */
  async settle(
    task: Task,
    failure: Failure,
    signal: AbortSignal,
  ): Promise<'finished' | { readonly retryInMs: number }> {
    const judged = this.#judge(task, failure.thrown);
    const verdict = failure.final === true ? 'final' : judged;
    const { processor, log, metrics } = this.#options;
    const details = {
      err: asError(failure.thrown),
      topic: task.record.topic,
      partition: task.record.partition,
      offset: String(task.record.offset),
      attempts: task.failures,
    };
    if (verdict !== 'final') {
      metrics.retried(processor.name, codeOf(failure.thrown));
      log.warn({ ...details, retry_in_ms: Math.round(verdict.retryInMs) }, 'handling a message failed; trying again');
      return verdict;
    }
    log.error(details, 'handling a message failed for good');
    if (processor.input.class === 'request') await this.#replyError(task, failure, signal);
    else await this.#bury(task, failure, signal);
    return 'finished';
  }

  #judge(task: Task, thrown: unknown): Verdict {
    const { settings, processor } = this.#options;
    const now = Date.now();
    const lastPass = this.#lastPass.get(this.#likeness(task));
    task.failures++;
    if (classOf(thrown) === 'unavailable') task.unavailableSince ??= now;
    else task.unavailableSince = undefined;
    const history = {
      unexpected: task.unexpectedFailures,
      attempts: task.failures,
      unavailableSince: task.unavailableSince,
      othersPassed: lastPass !== undefined && task.lastFailureAt !== undefined && lastPass > task.lastFailureAt,
    };
    if (task.unavailableSince === undefined || isIsolated(thrown, history, settings, now)) task.unexpectedFailures++;
    // It fails while others pass: alone it holds up nobody.
    if (task.unavailableSince === undefined || history.othersPassed) task.maxBatch = 1;
    task.lastFailureAt = now;
    return judge(
      thrown,
      { ...history, unexpected: task.unexpectedFailures },
      { settings, request: processor.input.class === 'request', random: Math.random() },
    );
  }

  async #replyError(task: Task, { thrown, delivery }: Failure, signal: AbortSignal): Promise<void> {
    const { processor, emitter, log, metrics } = this.#options;
    const headers = messageHeaders(task.record);
    metrics.handled(processor.name, 'error-reply');
    try {
      const reply = errorReply(processor.input, headers, delivery, thrown);
      if (reply === undefined) return;
      await emitter.publish(emitter.encode(headers, [reply], { series: '/error' }), signal);
    } catch (error) {
      if (endingOf(signal) !== undefined) throw error;
      log.error({ err: asError(error) }, 'telling the asker of a failed request failed; its deadline will');
    }
  }

  /** The letter and what the declaration wants to be published beside it, in one. */
  async #bury(task: Task, { thrown, delivery }: Failure, signal: AbortSignal): Promise<void> {
    const { processor, emitter, settings, log, metrics } = this.#options;
    const letter = deadLetter(task.record, {
      processor: processor.name,
      thrown,
      attempts: task.deaths ?? task.failures,
    });
    const records: OutgoingRecord[] = [letter, ...this.#outputsBeside(task, thrown, delivery)];
    for (;;) {
      try {
        await emitter.publish(records, signal);
        metrics.handled(processor.name, 'dead-letter');
        return;
      } catch (error) {
        if (endingOf(signal) !== undefined) throw error;
        // Giving up here would lose the message: it stays, loudly, until the cause is gone.
        log.error({ err: asError(error) }, `a dead letter cannot be written to ${letter.topic}; trying again`);
        await pause(settings.maxRetryMs, signal);
      }
    }
  }

  #outputsBeside(task: Task, thrown: unknown, delivery: Delivery<Topic> | undefined): readonly OutgoingRecord[] {
    const { processor, emitter, log } = this.#options;
    if (delivery === undefined || processor.onDeadLetter === undefined) return [];
    try {
      const outputs: readonly Output[] = processor.onDeadLetter(delivery, thrown);
      // A letter that was replayed and fails again is news, not a repetition.
      const series = `/dead-letter/${delivery.headers.attempt ?? ''}`;
      return emitter.encode(messageHeaders(task.record), outputs, { series });
    } catch (error) {
      log.error({ err: asError(error) }, 'onDeadLetter failed: the state of the document does not show this letter');
      return [];
    }
  }
}
