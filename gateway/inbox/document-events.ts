import type { Logger } from 'pino';
import type { Codec } from '../../schema/codec.js';
import { topics } from '../../schema/topics.js';
import type { Bus } from '../../services/ports/bus/port.js';
import { EventCursor } from './event-cursor.js';
import type { PlacedEvent } from './placed-event.js';
import { replayEvents } from './replay-events.js';
import { tailTopic } from './tail.js';

type Listener = (placed: PlacedEvent) => void;

/** Changes of documents as they are published, for those who wait and watch. */
export interface DocumentEvents {
  joined(): boolean;
  /** Calls `listener` for each event of the workspace until the returned function is called. It must not throw. */
  onWorkspace(workspace: string, listener: Listener): () => void;
  /** Calls `listener` when the operation has a new outcome. */
  onOperation(operationId: string, listener: Listener): () => void;
  /** Behind every event that is published now. */
  end(): Promise<EventCursor>;
  /** What was published since the cursor. Throws events-expired. */
  since(cursor: EventCursor): AsyncIterable<PlacedEvent>;
  close(): Promise<void>;
}

/** Follows document-events from its end. */
export async function createDocumentEvents(options: {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly log: Logger;
  readonly id: string;
  onFatal(error: Error): void;
}): Promise<DocumentEvents> {
  const byWorkspace = new Listeners();
  const byOperation = new Listeners();
  const tail = await tailTopic({
    ...options,
    topic: topics.documentEvents,
    group: `gateway-events-${options.id}`,
    wants: () => byWorkspace.any() || byOperation.any(),
    receive: (event, { partition, offset }) => {
      const placed = { event, partition, offset };
      byWorkspace.call(event.workspace, placed);
      if (event.operation !== null) byOperation.call(event.operation.operation_id, placed);
    },
  });
  return {
    joined: () => tail.joined(),
    onWorkspace: (workspace, listener) => byWorkspace.add(workspace, listener),
    onOperation: (operationId, listener) => byOperation.add(operationId, listener),
    end: async () => new EventCursor(await options.bus.endOffsets(topics.documentEvents.name)),
    since: (cursor) => replayEvents(options.bus, options.codec, cursor),
    close: () => tail.close(),
  };
}

class Listeners {
  readonly #byKey = new Map<string, Set<Listener>>();

  any(): boolean {
    return this.#byKey.size > 0;
  }

  add(key: string, listener: Listener): () => void {
    const listeners = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byKey.get(key) === listeners) this.#byKey.delete(key);
    };
  }

  call(key: string, event: PlacedEvent): void {
    for (const listener of this.#byKey.get(key) ?? []) listener(event);
  }
}
