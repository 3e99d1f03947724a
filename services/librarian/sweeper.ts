import { Type, type Static } from '@sinclair/typebox';
import type { Logger } from 'pino';
import { sweepVersions, type Publisher, type SweepOptions, type SweepPorts, type SweepResult } from './sweep.js';
import { sweepUploads } from './upload-sweep.js';

const minute = 60_000;
const day = 24 * 60 * minute;

export const sweeperConfig = Type.Object({
  intervalMs: Type.Integer({
    description: 'How often stalled versions and due purges are looked for. 0: never, except on request.',
    default: 5 * minute,
    minimum: 0,
  }),
  stalledAfterMs: Type.Integer({
    description: 'How long a version may be silent, with nothing of it left in any queue, before it is driven again.',
    default: 15 * minute,
    minimum: 0,
  }),
  purgeAfterMs: Type.Integer({
    description:
      'How long a replaced version stays readable for answers that have begun; at least the longest request deadline.',
    default: 10 * minute,
    minimum: 0,
  }),
  batchSize: Type.Integer({
    description: 'How many versions are asked for in one step.',
    default: 100,
    minimum: 1,
    maximum: 10_000,
  }),
  uploadsKeptMs: Type.Integer({
    description: 'How old an upload that no version refers to must be before it is removed.',
    default: 7 * day,
    minimum: minute,
  }),
  historyKeptMs: Type.Integer({
    description: 'How long handled commands and ended operations are remembered; longer than any topic keeps messages.',
    default: 45 * day,
    minimum: day,
  }),
  heldAlertMs: Type.Integer({
    description: 'How long the drain pass may wait at one place before that is logged as a warning.',
    default: 60 * minute,
    minimum: 0,
  }),
});

export type SweepRequest = Partial<Pick<SweepOptions, 'stalledAfterMs' | 'batchSize' | 'dryRun'>>;

export interface Sweeper {
  /** Waits for a sweep that runs. */
  stop(): Promise<void>;
  /** One sweep now, after one that runs. */
  sweepNow(request?: SweepRequest): Promise<SweepResult>;
}

const pruneAtOnce = 10_000;
const leastClaimMs = 10_000;

/**
 * A sweeper may die between claiming a version and asking for it, and the next but one asks again. Asking twice is
 * harmless: the command has the same id.
 */
export const claimMsOf = (intervalMs: number): number =>
  Math.max(leastClaimMs, 2 * (intervalMs === 0 ? 5 * minute : intervalMs));

/** Sweeps at every interval until stopped. One sweep at a time; another process may run another sweeper. */
export function startSweeper({
  ports,
  publisher,
  config,
  log,
}: {
  readonly ports: SweepPorts;
  readonly publisher: Publisher;
  readonly config: Static<typeof sweeperConfig>;
  readonly log: Logger;
}): Sweeper {
  const stopping = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  let uploadsSweptAt = 0;

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = running.then(work, work);
    running = next.catch(() => undefined);
    return next;
  };

  const sweep = async (request: SweepRequest): Promise<SweepResult> => {
    const { stalledAfterMs, purgeAfterMs, batchSize, intervalMs } = config;
    const claimMs = claimMsOf(intervalMs);
    const options = { stalledAfterMs, purgeAfterMs, batchSize, claimMs, signal: stopping.signal, ...request };
    const result = await sweepVersions(ports, publisher, options);
    const { held, ...counts } = result;
    if (held !== null && Date.now() - held.since.getTime() > config.heldAlertMs) {
      const { topic, group, partition, committed } = held;
      log.warn(
        { topic, group, partition, offset: committed.toString(), since: held.since },
        `${group} does not read on in ${topic}: until it does, no document counts as stalled`,
      );
    }
    if (counts.failed + counts.redriven + counts.purged > 0) log.info(counts, 'swept');
    return result;
  };

  /** What may wait for a day. */
  const tidy = async (): Promise<void> => {
    const now = await ports.catalog.now();
    const pass = await ports.librarianStore.drainPass();
    if (now.getTime() - uploadsSweptAt >= day && pass?.lastStartedAt != null) {
      uploadsSweptAt = now.getTime();
      const before = Math.min(now.getTime() - config.uploadsKeptMs, pass.lastStartedAt.getTime());
      const removed = await sweepUploads(ports, new Date(before), stopping.signal);
      if (removed > 0) log.info({ removed }, 'removed uploads that no document refers to');
    }
    await ports.librarianStore.prune(new Date(now.getTime() - config.historyKeptMs), pruneAtOnce);
  };

  let due = false;
  const sweepInTurn = async (): Promise<void> => {
    // A sweep that takes longer than the interval is not followed by a queue of others.
    if (due) return;
    due = true;
    try {
      await inTurn(async () => {
        await sweep({});
        await tidy();
      });
    } catch (error) {
      log.warn({ error }, 'a sweep broke off; the next one goes on');
    } finally {
      due = false;
    }
  };
  const timer = config.intervalMs === 0 ? undefined : setInterval(() => void sweepInTurn(), config.intervalMs);
  timer?.unref();

  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
    sweepNow: (request = {}) => inTurn(() => sweep(request)),
  };
}
