interface Waiting {
  readonly alone: boolean;
  enter(): void;
}

/**
 * Lets one message be handled while nothing else is handled in the whole process, whichever processor it belongs to:
 * if the process dies then, that message did it. As long as nobody asks for that, entering costs nothing.
 */
export class Isolation {
  #inside = 0;
  #aloneInside = false;
  #waiting: Waiting[] = [];

  /**
   * Resolves when the message may be handled; `alone` waits until nobody else is inside and keeps others out. The
   * returned function leaves. Rejects with the signal's reason when it is aborted before.
   */
  enter(alone: boolean, signal: AbortSignal): (() => void) | Promise<() => void> {
    if (this.#waiting.length === 0 && this.#mayEnter(alone)) return this.#enter(alone);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        alone,
        enter: () => {
          signal.removeEventListener('abort', giveUp);
          resolve(this.#enter(alone));
        },
      };
      const giveUp = (): void => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        this.#admit();
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      if (signal.aborted) {
        giveUp();
        return;
      }
      this.#waiting.push(waiting);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #mayEnter(alone: boolean): boolean {
    return !this.#aloneInside && (!alone || this.#inside === 0);
  }

  #enter(alone: boolean): () => void {
    this.#inside++;
    this.#aloneInside = alone;
    return () => {
      this.#inside--;
      this.#aloneInside = false;
      this.#admit();
    };
  }

  /** In the order of arrival, so that neither kind starves. */
  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#mayEnter(next.alone); next = this.#waiting[0]) {
      this.#waiting.shift();
      next.enter();
    }
  }
}

/** The one of this process. */
export const processIsolation = new Isolation();
