import { randomUUID } from 'node:crypto';
import type { Codec } from '../../../schema/codec.js';
import type { MessageHeaders } from '../../../schema/headers.js';
import { topics } from '../../../schema/topics.js';
import type { Bus, BusRecord, Consumer } from '../../ports/bus/port.js';

const rememberMs = 600_000;
const pruneAbove = 1_000;

/** Epoch ms after which nobody waits for the answer, or undefined. */
export function deadlineOf(headers: Partial<MessageHeaders>): number | undefined {
  const deadline = Number(headers.deadline);
  return headers.deadline === undefined || !Number.isFinite(deadline) ? undefined : deadline;
}

/** Hears which askers have left; remembers it, since a cancellation may overtake its request. */
export class RequestWatch {
  readonly #cancelledUntil = new Map<string, number>();
  readonly #onCancelled: (correlationId: string) => void;
  #consumer: Consumer | undefined;

  constructor(onCancelled: (correlationId: string) => void) {
    this.#onCancelled = onCancelled;
  }

  /** Listens from now on; `fatal` as in ConsumerEvents. */
  async start(processor: string, bus: Bus, codec: Codec, fatal: (error: Error) => void): Promise<void> {
    this.#consumer = await bus.consume(
      { group: `${processor}-cancellations-${randomUUID()}`, topics: [topics.cancellations.name], from: 'end' },
      {
        assigned: () => undefined,
        revoked: () => undefined,
        records: (_partition, records) => {
          for (const record of records) void this.#hear(codec, record);
        },
        fatal,
      },
    );
  }

  isCancelled(correlationId: string | undefined): boolean {
    return correlationId !== undefined && this.#cancelledUntil.has(correlationId);
  }

  joined(): boolean {
    return this.#consumer?.joined() === true;
  }

  async stop(): Promise<void> {
    await this.#consumer?.close();
  }

  async #hear(codec: Codec, record: BusRecord): Promise<void> {
    try {
      const { correlation_id: id } = await codec.decode(topics.cancellations.message, record.value);
      if (this.#cancelledUntil.size > pruneAbove) this.#prune();
      this.#cancelledUntil.set(id, deadlineOf(record.headers) ?? Date.now() + rememberMs);
      this.#onCancelled(id);
    } catch {
      // A cancellation that cannot be read saves nothing; the request runs to its end.
    }
  }

  #prune(): void {
    const now = Date.now();
    for (const [id, until] of this.#cancelledUntil) if (until < now) this.#cancelledUntil.delete(id);
  }
}
