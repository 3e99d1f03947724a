import type { Reply } from '../../schema/generated.js';

/** Replies to hand on, in order; or the answer is broken, because another attempt has begun it anew. */
export type Ordered = { readonly forward: readonly Reply[] } | 'interrupted';

/**
 * Puts the parts of one answer in order. Doubles are dropped; a part that comes early waits for those before it. A
 * redelivered question makes a second attempt: it is taken if the reader has nothing of the first yet, else the answer
 * is broken. `keepsNothing`: the reader looks at the end alone, so any attempt will do.
 */
export class AnswerOrder {
  #attempt: string | undefined;
  #next = 0;
  readonly #abandoned = new Set<string>();
  readonly #early = new Map<number, Reply>();

  constructor(private readonly keepsNothing: boolean) {}

  accept(reply: Reply): Ordered {
    if (this.#abandoned.has(reply.attempt)) return { forward: [] };
    if (this.#attempt !== undefined && this.#attempt !== reply.attempt) {
      if (this.#next > 0 && !this.keepsNothing) return 'interrupted';
      this.#abandoned.add(this.#attempt);
      this.#early.clear();
      this.#next = 0;
    }
    this.#attempt = reply.attempt;
    if (reply.kind === 'answer-end' && reply.index <= this.#next) return { forward: [reply] };
    if (reply.index >= this.#next) this.#early.set(reply.index, reply);
    return { forward: [...this.#inOrder()] };
  }

  *#inOrder(): Generator<Reply> {
    for (let reply = this.#early.get(this.#next); reply !== undefined; reply = this.#early.get(this.#next)) {
      this.#early.delete(this.#next++);
      yield reply;
    }
  }
}
