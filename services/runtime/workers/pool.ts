import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { valueOf, type TaskResult, type WorkerTask } from './worker-task.js';

/** A worker that was stopped because of what it was given: it took too long, or more memory than a worker may have. */
export class WorkerStopped extends Error {
  override readonly name = 'WorkerStopped';

  constructor(readonly why: 'time' | 'memory') {
    super(why === 'time' ? 'the worker ran out of time' : 'the worker ran out of memory');
  }
}

export interface RunOptions {
  /** Counted from when a thread takes the task; then the thread is killed and replaced. */
  readonly timeoutMs: number;
  /** Ends the task like a timeout; rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const heapMegabytes = 1024;
/** By default a thread takes three times as much before it collects, and keeps it. */
const youngMegabytes = 16;

/**
 * Piscina tries require() before import(). Where Node lets require() load ES modules, a thread that is killed while it
 * does so takes the whole process down (a fatal error of V8, seen with Node 20.20).
 */
const withoutRequireOfModules = 'require_module' in process.features ? ['--no-experimental-require-module'] : [];

/** Threads for work that would keep the event loop from heartbeats and requests. One pool serves the whole process. */
class WorkerPool {
  #piscina: Piscina | undefined;
  readonly #threads = availableParallelism();
  #free = this.#threads;
  readonly #waiting = new Set<() => void>();

  async run<I, O>(task: WorkerTask<I, O>, input: I, { timeoutMs, signal }: RunOptions): Promise<O> {
    await this.#turn(signal);
    try {
      const timeout = AbortSignal.timeout(timeoutMs);
      const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
      try {
        const result = (await this.#pool().run(input, {
          filename: task.filename,
          name: task.name,
          signal: either,
        })) as TaskResult<O>;
        return valueOf(result);
      } catch (error) {
        signal?.throwIfAborted();
        if (timeout.aborted) throw new WorkerStopped('time');
        throw hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY') ? new WorkerStopped('memory') : error;
      }
    } finally {
      this.#done();
    }
  }

  async close(): Promise<void> {
    const pool = this.#piscina;
    this.#piscina = undefined;
    await pool?.destroy();
  }

  #pool(): Piscina {
    return (this.#piscina ??= new Piscina({
      minThreads: 0,
      maxThreads: this.#threads,
      idleTimeout: 30_000,
      // Not what this process was started with: a thread refuses some of that.
      execArgv: withoutRequireOfModules,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: youngMegabytes },
    }));
  }

  /** A task waits here, not in the pool's queue, so that its time begins with its work. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const turn = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(turn);
        reject(signal?.reason instanceof Error ? signal.reason : new Error('the task was aborted'));
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.add(turn);
    });
  }

  /** Hands the thread to the task that waits longest. */
  #done(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free++;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

const pool = new WorkerPool();

/** Runs a task in a thread. Throws what the task throws (as SluiceError), WorkerStopped, or the signal's reason. */
export const runInWorker = <I, O>(task: WorkerTask<I, O>, input: I, options: RunOptions): Promise<O> =>
  pool.run(task, input, options);

/** Ends all threads; a later call starts new ones. */
export const closeWorkers = (): Promise<void> => pool.close();
