import { SluiceError } from '../../../domain/errors.js';
import { DurableLog } from './durable-log.js';
import { MemoryLog } from './memory-log.js';
import type { RecordContent } from './record-frame.js';
import type { Store } from './store.js';

export interface PlacedRecord {
  readonly log: DurableLog | MemoryLog | undefined;
  readonly content: RecordContent;
}

/** Unread requests of one partition beyond this many bytes are refused: whoever should read them is stuck. */
const maxUnreadRequestBytes = 32 * 1024 * 1024;

/** Appends records to their logs and tells, once they may be read, which logs have grown. */
export class Writer {
  readonly #store: Store;
  readonly #appended: (log: DurableLog | MemoryLog, bytes: number) => void;

  constructor(store: Store, appended: (log: DurableLog | MemoryLog, bytes: number) => void) {
    this.#store = store;
    this.#appended = appended;
  }

  /** Durable records first; requests are handed over only when those are safe. */
  async write(records: readonly PlacedRecord[]): Promise<void> {
    const durable = new Map<DurableLog, RecordContent[]>();
    const requests: { log: MemoryLog; content: RecordContent }[] = [];
    for (const { log, content } of records) {
      if (log instanceof DurableLog) {
        const contents = durable.get(log);
        if (contents === undefined) durable.set(log, [content]);
        else contents.push(content);
      } else if (log instanceof MemoryLog) requests.push({ log, content });
    }
    const full = requests.find(({ log }) => log.bytes() > maxUnreadRequestBytes);
    if (full !== undefined) {
      throw new SluiceError('unavailable', `too many requests on topic "${full.log.topic}" wait to be read`);
    }
    if (durable.size > 0) await this.#writeDurably(durable);
    for (const { log, content } of requests) {
      // Copied, since nothing else keeps the publisher from using its buffer again.
      log.append({ ...content, value: Buffer.from(content.value) });
      this.#appended(log, content.value.length);
    }
  }

  async #writeDurably(durable: ReadonlyMap<DurableLog, readonly RecordContent[]>): Promise<void> {
    const bytes = new Map([...durable].map(([log, contents]) => [log, weigh(contents)]));
    const total = [...bytes.values()].reduce((sum, each) => sum + each, 0);
    await this.#store.commits.write(
      total,
      () => {
        for (const [log, contents] of durable) for (const content of contents) log.append(content);
      },
      (committed) => {
        for (const log of durable.keys()) log.settle(committed);
      },
    );
    for (const [log, weight] of bytes) this.#appended(log, weight);
  }
}

const weigh = (contents: readonly RecordContent[]): number =>
  contents.reduce((sum, { value }) => sum + value.length + 100, 0);
