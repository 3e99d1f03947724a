import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { valueOf, type TaskResult, type WorkerTask } from '../../../runtime/workers/worker-task.js';
import type { PassageEmbedding } from '../port.js';
import type { EmbedInput, WorkerSettings } from './onnx-worker.js';

/**
 * Threads that keep a model loaded, apart from those for other work: they must not be lost to a text that takes long.
 * They begin with the work and stay.
 */
export class EncoderPool {
  readonly threads: number;
  readonly #begun = new Set<Promise<unknown>>();
  readonly #piscina: Piscina<EmbedInput, TaskResult<PassageEmbedding>>;

  /** `workers` 0: one per core. */
  constructor(task: WorkerTask<EmbedInput, PassageEmbedding>, settings: WorkerSettings, workers: number) {
    this.threads = workers === 0 ? availableParallelism() : workers;
    this.#piscina = new Piscina({
      ...{ filename: task.filename, name: task.name, workerData: settings },
      ...{ minThreads: 1, maxThreads: this.threads, idleTimeout: Infinity },
    });
  }

  /**
   * Embeds one text in the next free thread. When the signal aborts, it rejects with the signal's reason at once; what a
   * thread has begun it ends, because killing the thread would cost it the loaded model.
   */
  async run(input: EmbedInput, signal?: AbortSignal): Promise<PassageEmbedding> {
    signal?.throwIfAborted();
    const work = this.#piscina.run(input);
    const ended = work.then(noop, noop).finally(() => this.#begun.delete(ended));
    this.#begun.add(ended);
    return valueOf(await (signal === undefined ? work : unlessAborted(work, signal)));
  }

  /** Waits for what was begun: a thread that is ended in the midst of native code takes the whole process with it. */
  async close(): Promise<void> {
    await Promise.all(this.#begun);
    await this.#piscina.destroy();
  }
}

const noop = (): void => undefined;

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
