/** What the queue must know of an item. */
export interface Queued {
  readonly bytes: number;
  /** The item is not taken together with more others than this, itself included. */
  readonly maxBatch: number;
}

export interface TakeLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/** The waiting items of one key, oldest first. */
export interface Lane<T> {
  readonly key: string;
  items: T[];
  state: 'ready' | 'taken' | 'waiting';
  readySince: number;
}

/** Items of one lane that were taken together; the lane is held until it is given back. */
export interface Taken<T> {
  readonly lane: Lane<T>;
  readonly items: readonly T[];
}

/**
 * Queues by key: of one key only what follows one another is taken at once, and nothing more until that is given
 * back. A key that waits for a retry holds up nobody else.
 */
export class KeyedQueue<T extends Queued> {
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #ready = new Set<Lane<T>>();
  readonly #timers = new Map<Lane<T>, NodeJS.Timeout>();
  readonly #onReady: () => void;

  /** `onReady`: there may be something to take. Called often, returns at once. */
  constructor(onReady: () => void) {
    this.#onReady = onReady;
  }

  add(key: string, item: T): void {
    const lane = this.#lanes.get(key);
    if (lane !== undefined) {
      lane.items.push(item);
      if (lane.state !== 'ready') return;
    } else {
      const created: Lane<T> = { key, items: [item], state: 'ready', readySince: Date.now() };
      this.#lanes.set(key, created);
      this.#ready.add(created);
    }
    this.#onReady();
  }

  /** Since when the oldest item that could be taken has been ready, and whether a full batch is. */
  ready(limits: TakeLimits): { readonly since: number; readonly full: boolean } | undefined {
    let since: number | undefined;
    let items = 0;
    let bytes = 0;
    for (const lane of this.#ready) {
      since = Math.min(since ?? lane.readySince, lane.readySince);
      for (const item of lane.items) {
        items++;
        bytes += item.bytes;
        if (items >= limits.maxItems || bytes >= limits.maxBytes || item.maxBatch < limits.maxItems) {
          return { since, full: true };
        }
      }
    }
    return since === undefined ? undefined : { since, full: false };
  }

  /** The oldest ready items within the limits; at least one if any is ready. */
  take(limits: TakeLimits): readonly Taken<T>[] {
    const taken: Taken<T>[] = [];
    let { maxItems } = limits;
    let count = 0;
    let bytes = 0;
    for (const lane of this.#ready) {
      let fits = 0;
      for (const item of lane.items) {
        const most = Math.min(maxItems, item.maxBatch);
        if (count + 1 > most || (count > 0 && bytes + item.bytes > limits.maxBytes)) break;
        maxItems = most;
        count++;
        fits++;
        bytes += item.bytes;
      }
      if (fits > 0) {
        this.#ready.delete(lane);
        lane.state = 'taken';
        taken.push({ lane, items: lane.items.splice(0, fits) });
      }
      if (count >= maxItems || bytes >= limits.maxBytes) break;
    }
    return taken;
  }

  /** Gives a lane back; `unfinished` stand before what has come since. With a delay they are not taken before it. */
  giveBack(lane: Lane<T>, unfinished: readonly T[] = [], delayMs = 0): void {
    if (this.#lanes.get(lane.key) !== lane) return;
    if (unfinished.length > 0) lane.items = [...unfinished, ...lane.items];
    if (lane.items.length === 0) {
      this.#lanes.delete(lane.key);
    } else if (delayMs > 0) {
      lane.state = 'waiting';
      this.#timers.set(
        lane,
        setTimeout(() => this.#makeReady(lane), delayMs),
      );
    } else {
      this.#makeReady(lane);
    }
  }

  /** Takes out of the queue what is not in hand and fits the description, and returns it. */
  drop(doomed: (item: T) => boolean): readonly T[] {
    const dropped: T[] = [];
    for (const lane of this.#lanes.values()) {
      const kept = lane.items.filter((item) => !doomed(item));
      if (kept.length === lane.items.length) continue;
      dropped.push(...lane.items.filter(doomed));
      lane.items = kept;
      if (kept.length === 0 && lane.state !== 'taken') this.#forget(lane);
    }
    return dropped;
  }

  #makeReady(lane: Lane<T>): void {
    this.#timers.delete(lane);
    lane.state = 'ready';
    lane.readySince = Date.now();
    this.#ready.add(lane);
    this.#onReady();
  }

  #forget(lane: Lane<T>): void {
    clearTimeout(this.#timers.get(lane));
    this.#timers.delete(lane);
    this.#ready.delete(lane);
    this.#lanes.delete(lane.key);
  }
}
