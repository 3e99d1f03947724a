import type { PartitionProgress } from './partition-progress.js';
import type { Task } from './task.js';

interface Dispatching {
  add(task: Task): void;
  revoke(progress: PartitionProgress): void;
  cancel(correlationId: string): void;
  stop(graceMs: number): Promise<void>;
}

/**
 * A dispatcher for each server that messages of a processor depend on, so that one that is down or hangs holds up only
 * its own: slots, batches and what is learnt about batches are not shared.
 */
export class Dispatchers implements Dispatching {
  readonly #dependencyOf: (task: Task) => string;
  readonly #create: () => Dispatching;
  readonly #byDependency = new Map<string, Dispatching>();

  constructor(dependencyOf: (task: Task) => string, create: () => Dispatching) {
    this.#dependencyOf = dependencyOf;
    this.#create = create;
  }

  add(task: Task): void {
    const dependency = this.#dependencyOf(task);
    let dispatcher = this.#byDependency.get(dependency);
    if (dispatcher === undefined) this.#byDependency.set(dependency, (dispatcher = this.#create()));
    dispatcher.add(task);
  }

  revoke(progress: PartitionProgress): void {
    for (const dispatcher of this.#byDependency.values()) dispatcher.revoke(progress);
  }

  cancel(correlationId: string): void {
    for (const dispatcher of this.#byDependency.values()) dispatcher.cancel(correlationId);
  }

  async stop(graceMs: number): Promise<void> {
    await Promise.all([...this.#byDependency.values()].map((dispatcher) => dispatcher.stop(graceMs)));
  }
}
