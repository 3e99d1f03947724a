import type { Reply } from '../../schema/generated.js';
import { SluiceError } from '../../services/domain/errors.js';
import { AnswerOrder } from './answer-order.js';
import { BoundedQueue } from './bounded-queue.js';

const maxWaitingReplies = 100_000;
const lastKinds: ReadonlySet<string> = new Set(['retrieval', 'answer-end', 'error']);

/** One request and the replies that its asker has not read yet. */
export class Exchange {
  readonly #order: AnswerOrder;
  readonly #failed: Promise<never>;
  #reject: (error: unknown) => void = () => undefined;
  #answered = false;
  readonly #queue = new BoundedQueue<Reply>(
    maxWaitingReplies,
    () => new SluiceError('answer-interrupted', 'the answer was read too slowly and was given up: ask again'),
  );

  constructor(keepsNothing: boolean) {
    this.#order = new AnswerOrder(keepsNothing);
    this.#failed = new Promise((_, reject) => (this.#reject = reject));
    this.#failed.catch(() => undefined); // the reader may be in the queue, not here
  }

  /** Whether the last reply has come: nobody works on the request any more. */
  get answered(): boolean {
    return this.#answered;
  }

  /** Rejects when the exchange fails; for what is awaited before the replies are. */
  get failed(): Promise<never> {
    return this.#failed;
  }

  accept(reply: Reply): void {
    const isPart = reply.kind === 'answer-part' || reply.kind === 'answer-end';
    const ordered = isPart ? this.#order.accept(reply) : { forward: [reply] };
    if (ordered === 'interrupted') {
      this.fail(
        new SluiceError('answer-interrupted', 'the answer was begun anew after a part of it went out: ask again'),
      );
      return;
    }
    for (const next of ordered.forward) {
      this.#queue.push(next);
      if (!lastKinds.has(next.kind)) continue;
      this.#answered = true;
      this.#queue.end();
    }
  }

  fail(error: unknown): void {
    this.#queue.fail(error);
    this.#reject(error);
  }

  [Symbol.asyncIterator](): AsyncGenerator<Reply> {
    return this.#queue[Symbol.asyncIterator]();
  }
}
