import type { Message } from './kafka-client.js';

/** One call to publish: settles when all its records have. */
export class Publication {
  readonly done: Promise<void>;
  #open: number;
  #failure: { readonly error: unknown } | undefined;
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(records: number) {
    this.#open = records;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** One more record is acknowledged, or has failed. */
  settle(failure?: { readonly error: unknown }): void {
    this.#failure ??= failure;
    if (--this.#open > 0) return;
    if (this.#failure === undefined) this.#resolve();
    else this.#reject(this.#failure.error);
  }
}

/** A record on its way to its partition. */
export interface Outgoing {
  readonly message: Message;
  readonly bytes: number;
  readonly queuedAt: number;
  readonly publication: Publication;
}

export interface Batch {
  /** As in the cluster. */
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly Outgoing[];
}

export const settleAll = (records: readonly Outgoing[], failure?: { readonly error: unknown }): void => {
  for (const { publication } of records) publication.settle(failure);
};
