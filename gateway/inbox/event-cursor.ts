import { SluiceError } from '../../services/domain/errors.js';

/** Where a watcher stands in document-events: of each partition, the offset of the next event. */
export class EventCursor {
  readonly #next: bigint[];

  constructor(next: readonly bigint[]) {
    this.#next = [...next];
  }

  /** Throws invalid-argument for what no event brought. */
  static parse(text: string): EventCursor {
    const parts = Buffer.from(text, 'base64url').toString('latin1').split(',');
    if (text !== '' && parts.every((part) => /^\d{1,19}$/u.test(part))) return new EventCursor(parts.map(BigInt));
    throw new SluiceError('invalid-argument', 'the cursor is not one that an event brought: watch without it');
  }

  /** The offsets to read from, by partition number. */
  get positions(): readonly bigint[] {
    return this.#next;
  }

  /** Whether the watcher has had this event. */
  has(partition: number, offset: bigint): boolean {
    return offset < (this.#next[partition] ?? 0n);
  }

  pass(partition: number, offset: bigint): void {
    while (this.#next.length < partition) this.#next.push(0n);
    this.#next[partition] = offset + 1n;
  }

  toString(): string {
    return Buffer.from(this.#next.join(','), 'latin1').toString('base64url');
  }
}
