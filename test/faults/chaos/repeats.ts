import { topics } from '../../../schema/topics.js';
import type { Bus, BusRecord } from '../../../services/ports/bus/port.js';
import { oneOf } from '../seeded.js';

const logged = Object.values(topics).filter(({ class: kind, name }) => kind === 'log' && name !== 'document-events');

/**
 * Publishes records that were delivered before once more, with their keys, headers and bytes: what a producer does whose
 * acknowledgement was lost, or an operator who sets offsets back. Returns how many.
 */
export async function repeatSome(bus: Bus, random: () => number, share: number, most = Infinity): Promise<number> {
  const topic = oneOf(random, logged).name;
  const chosen: BusRecord[] = [];
  for await (const record of bus.read(topic)) if (random() < share) chosen.push(record);
  const again = chosen.slice(0, most);
  await bus.publish(again.map(({ topic, key, value, headers }) => ({ topic, key, value, headers })));
  return again.length;
}

/** Everything on every log topic, once more. */
export async function repeatAll(bus: Bus): Promise<number> {
  let count = 0;
  for (const { name } of logged) {
    const records: BusRecord[] = [];
    for await (const record of bus.read(name)) records.push(record);
    await bus.publish(records.map(({ topic, key, value, headers }) => ({ topic, key, value, headers })));
    count += records.length;
  }
  return count;
}
