import type { DocumentEvent, Operation, OperationOutcome } from '../../gateway/client/client.js';
import type { Settlement, Tally } from './tally.js';

interface Item {
  readonly key: string;
  readonly source: string;
  readonly documentId: string;
  chunks: number | undefined;
  askedAt: number;
}

const earlyOutcomes = 1_000;

/** The documents that the server took and has not yet finished. Small: one short record a document. */
export class Outstanding {
  readonly #items = new Map<string, Item>();
  readonly #byDocument = new Map<string, Item>();
  /** An outcome may come before the answer that names its operation. */
  readonly #early = new Map<string, OperationOutcome>();
  #chunked = 0;
  #chunks = 0;
  #wake: (() => void) | undefined;

  constructor(private readonly tally: Tally) {}

  get size(): number {
    return this.#items.size;
  }

  /** Documents that have been cut into chunks, and how many chunks that made. */
  get chunked(): { readonly documents: number; readonly chunks: number } {
    return { documents: this.#chunked, chunks: this.#chunks };
  }

  /** An accepted upload. */
  add(operationId: string, documentId: string, source: string, now: number): void {
    const item: Item = { key: operationId, source, documentId, chunks: undefined, askedAt: now };
    this.#items.set(operationId, item);
    this.#byDocument.set(documentId, item);
    const early = this.#early.get(operationId);
    if (early !== undefined) this.settle(operationId, settlementOf(early));
  }

  /** Takes what an event says of documents of this load; what it says of others is nothing to us. */
  hear(event: DocumentEvent): void {
    const { operation } = event;
    const item = this.#byDocument.get(event.document_id);
    const chunks = event.newest?.chunks ?? null;
    if (item !== undefined && chunks !== null) this.#cut(item, chunks);
    if (operation === null || operation.state === 'accepted') return;
    if (this.#items.has(operation.operation_id)) {
      this.settle(operation.operation_id, settlementOf(operation));
      return;
    }
    this.#early.set(operation.operation_id, operation);
    if (this.#early.size > earlyOutcomes)
      for (const oldest of this.#early.keys()) {
        this.#early.delete(oldest);
        break;
      }
  }

  settle(operationId: string, end: Settlement): void {
    const item = this.#items.get(operationId);
    if (item === undefined) return;
    this.#items.delete(operationId);
    if (this.#byDocument.get(item.documentId) === item) this.#byDocument.delete(item.documentId);
    if (end.state === 'ready' && !end.unchanged) this.#cut(item, end.chunkCount ?? 0);
    this.tally.settle(item.source, end);
    if (this.#items.size === 0) this.#wake?.();
  }

  /** Those that have been silent longest, at most `count`, not asked about since `before`. */
  silent(before: number, count: number, now: number): { readonly operationId: string; readonly source: string }[] {
    const found: { operationId: string; source: string }[] = [];
    for (const item of this.#items.values()) {
      if (item.askedAt > before) continue;
      item.askedAt = now;
      found.push({ operationId: item.key, source: item.source });
      if (found.length === count) break;
    }
    return found;
  }

  /** Resolves once nothing is outstanding. */
  async empty(signal: AbortSignal): Promise<void> {
    if (this.#items.size === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#wake = resolve;
      const leave = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('interrupted'));
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
  }

  #cut(item: Item, chunks: number): void {
    if (item.chunks !== undefined) return;
    item.chunks = chunks;
    this.#chunked++;
    this.#chunks += chunks;
  }
}

export const settlementOf = (end: OperationOutcome | Operation): Settlement => ({
  state: end.state,
  unchanged: end.unchanged,
  version: end.version,
  replaced: end.replaced,
  chunkCount: end.chunk_count,
  code: end.code,
  reason: end.reason,
});
