import type { Codec } from '../../schema/codec.js';
import { topics } from '../../schema/topics.js';
import { SluiceError } from '../../services/domain/errors.js';
import type { Bus } from '../../services/ports/bus/port.js';
import type { PlacedEvent } from './placed-event.js';
import type { EventCursor } from './event-cursor.js';

/**
 * The events that were published since the cursor, each partition in order. Throws events-expired if some of them are no
 * longer kept: the first that is read is then not the one that was to come next.
 */
export async function* replayEvents(bus: Bus, codec: Codec, since: EventCursor): AsyncGenerator<PlacedEvent> {
  const topic = topics.documentEvents;
  const next = [...since.positions];
  const ends = await bus.endOffsets(topic.name);
  // Ahead of the log: of another installation, or of one that was restored from before.
  if (ends.some((end, partition) => (next[partition] ?? 0n) > end)) throw expired();
  for await (const { partition, offset, value } of bus.read(topic.name, next)) {
    if (offset !== (next[partition] ?? 0n)) throw expired();
    next[partition] = offset + 1n;
    yield { event: await codec.decode(topic.message, value), partition, offset };
  }
  for (const [partition, end] of ends.entries()) if ((next[partition] ?? 0n) < end) throw expired();
}

const expired = (): SluiceError =>
  new SluiceError('events-expired', 'events since that cursor are no longer kept: watch anew, from a listing');
