import { afterEach, describe, expect, it } from 'vitest';
import { topics } from '../../../../schema/topics.js';
import { derivedMessageId, uuidOf } from '../../../../services/domain/identity.js';
import type { Bus, BusRecord } from '../../../../services/ports/bus/port.js';
import { output, type Delivery } from '../../../../services/runtime/processor.js';
import { faultyBus } from '../../../faults/faulty-bus.js';
import { codec, openBench, purge, purgeProcessor, type Bench, eventually } from './harness.js';

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.end();
});

type Purge = Delivery<typeof topics.purges>;
const purged = ({ value }: Purge, kind = 'purged') =>
  output(topics.documentCommands, { kind, workspace: 'w', collection: 'c', document_id: value.document_id });
const kinds = async (of: Bench): Promise<string[]> =>
  Promise.all(
    (await of.all('document-commands')).map(async ({ value }) => (await codec.decode('DocumentCommand', value)).kind),
  );
const done = (of: Bench, processor: Parameters<Bench['lag']>[0]) =>
  eventually(async () => {
    expect(await of.lag(processor)).toBe(0);
  });
/** A promise and how to keep it. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('a message', () => {
  it('is handled, its outputs are published with derived ids, its offset is committed', async () => {
    const processor = purgeProcessor((delivery) => Promise.resolve([purged(delivery, 'one'), purged(delivery, 'two')]));
    bench = await openBench([processor]);
    await bench.start(processor);
    await bench.publisher.publish([purge('a')], { 'message-id': 'id-of-a', workspace: 'w' });
    await done(bench, processor);
    const records = await bench.all('document-commands');
    expect(await kinds(bench)).toEqual(['one', 'two']);
    expect(records.map(({ headers }) => headers)).toEqual([
      { 'message-id': derivedMessageId('id-of-a', 0), workspace: 'w' },
      { 'message-id': derivedMessageId('id-of-a', 1), workspace: 'w' },
    ]);
    expect(records.map(({ key }) => key)).toEqual(['w/c/a', 'w/c/a']);
  });

  it('without an id, from elsewhere, gets one from its place', async () => {
    const ids: string[] = [];
    const processor = purgeProcessor(({ headers }) => {
      ids.push(headers['message-id']);
      return Promise.resolve([]);
    });
    bench = await openBench([processor]);
    await bench.start(processor);
    await bench.bus.publish([
      { topic: 'purges', key: null, value: codec.encode('Purge', purge('a').value), headers: {} },
    ]);
    await done(bench, processor);
    expect(ids).toEqual([uuidOf('purges\0' + '0\0' + '0')]);
  });

  it('passes trace, correlation, workspace and flow on, but no deadline and no inbox to a log', async () => {
    const processor = purgeProcessor((delivery) => Promise.resolve([purged(delivery)]));
    bench = await openBench([processor]);
    await bench.start(processor);
    const carried = { 'correlation-id': 'c1', workspace: 'w', flow: 'f', traceparent: '00-a-b-01' };
    await bench.publisher.publish([purge('a')], {
      ...carried,
      'message-id': 'm',
      deadline: String(Date.now() - 1),
      'reply-topic': 'replies',
      'reply-inbox': 'i',
    });
    await done(bench, processor);
    const [record] = await bench.all('document-commands');
    expect(record?.headers).toEqual({ ...carried, 'message-id': derivedMessageId('m', 0) });
  });
});

describe('order and concurrency', () => {
  it('handles several keys at once, each key one at a time and in order, retries included', async () => {
    const seen = new Map<string, number[]>();
    const active = new Set<string>();
    let most = 0;
    const processor = purgeProcessor(async (delivery) => {
      const { document_id: key, version } = delivery.value;
      expect(active.has(key)).toBe(false);
      active.add(key);
      most = Math.max(most, active.size);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      active.delete(key);
      if (delivery.attempt === 1 && version % 5 === 0) throw new Error('once');
      seen.set(key, [...(seen.get(key) ?? []), version]);
      return [];
    });
    bench = await openBench([processor]);
    await bench.start(processor);
    const versions = [...Array(20).keys()].map((index) => index + 1);
    const keys = [...Array(12).keys()].map((index) => `k${index}`);
    await bench.publisher.publish(versions.flatMap((version) => keys.map((key) => purge(key, version))));
    await done(bench, processor);
    for (const key of keys) expect(seen.get(key)).toEqual(versions);
    expect(most).toBe(8);
  });

  it('commits nothing past an unfinished message, though later ones are finished', async () => {
    const slow = gate();
    const handled: string[] = [];
    const processor = purgeProcessor(async ({ value }) => {
      if (value.document_id === 'slow') await slow.opened;
      handled.push(value.document_id);
      return [];
    });
    bench = await openBench([processor]);
    await bench.start(processor);
    await bench.publisher.publish([purge('slow')]);
    await bench.publisher.publish([...Array(40).keys()].map((index) => purge(`k${index}`)));
    await eventually(() => {
      expect(handled).toHaveLength(40);
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const [slowRecord] = (await bench.all('purges')).filter(({ key }) => key === 'slow');
    const committed = await bench.bus.committed('subject', 'purges');
    expect(committed[slowRecord?.partition ?? 0]).toBe(slowRecord?.offset);
    slow.open();
    await done(bench, processor);
  });

  it('keeps fetched messages within their limit and still handles all', async () => {
    let most = 0;
    const processor = purgeProcessor(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return [];
    });
    bench = await openBench([processor]);
    const { registry } = bench;
    const maxFetchedBytes = 200_000;
    const spaces = [Array(80).fill('s').join('').repeat(100)];
    await bench.publisher.publish(
      [...Array(500).keys()].map((index) => ({
        ...purge(`k${index}`),
        value: { ...purge(`k${index}`).value, spaces },
      })),
    );
    await bench.start(processor, { settings: { maxFetchedBytes } });
    const sample = async (): Promise<number> => {
      const metric = await registry.getSingleMetric('sluice_fetched_bytes')?.get();
      return metric?.values[0]?.value ?? 0;
    };
    while ((await bench.lag(processor)) > 0) {
      most = Math.max(most, await sample());
      // The samples alone would be an endless run of microtasks, which no timer gets through.
      await new Promise(setImmediate);
    }
    expect(most).toBeGreaterThan(0);
    // One slice of each partition may be on its way when fetching pauses.
    expect(most).toBeLessThan(maxFetchedBytes + 4 * 1_100_000);
    expect(await sample()).toBe(0);
  });
});

describe('records that come again', () => {
  it('are known by their offset: queued, running or done, they are handled once', async () => {
    const counts = new Map<string, number>();
    const processor = purgeProcessor(async ({ value }) => {
      counts.set(value.document_id, (counts.get(value.document_id) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 2));
      return [];
    });
    const opened = await openBench([processor]);
    bench = opened;
    const repeating: Bus = {
      ...opened.bus,
      consume: (options, events) =>
        opened.bus.consume(options, {
          assigned: (partitions) => {
            events.assigned(partitions);
          },
          revoked: (partitions) => {
            events.revoked(partitions);
          },
          fatal: (error) => {
            events.fatal(error);
          },
          records: (partition, records: readonly BusRecord[]) => {
            events.records(partition, records);
            events.records(partition, records.slice(1));
            setTimeout(() => {
              events.records(partition, records);
            }, 20);
          },
        }),
    };
    await opened.start(processor, { bus: repeating });
    await opened.publisher.publish([...Array(60).keys()].map((index) => purge(`k${index}`)));
    await done(opened, processor);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(counts.size).toBe(60);
    expect([...counts.values()].every((count) => count === 1)).toBe(true);
  });

  it('on a bus that repeats and reorders, nothing is lost and copies make the same message ids', async () => {
    const handled = new Map<string, number>();
    const processor = purgeProcessor((delivery) => {
      handled.set(delivery.value.document_id, (handled.get(delivery.value.document_id) ?? 0) + 1);
      return Promise.resolve([purged(delivery)]);
    });
    const opened = await openBench([processor]);
    bench = opened;
    const faulty = faultyBus(opened.bus, { maxDelayMs: 50 });
    await opened.start(processor, { bus: faulty });
    const ids = [...Array(100).keys()].map((index) => `k${index}`);
    await Promise.all(
      ids.map(async (id) =>
        faulty.publish([
          { topic: 'purges', key: id, value: codec.encode('Purge', purge(id).value), headers: { 'message-id': id } },
        ]),
      ),
    );
    await faulty.settled();
    await done(opened, processor);
    await faulty.settled();
    expect([...handled.keys()].sort()).toEqual([...ids].sort());
    expect([...handled.values()].some((count) => count > 1)).toBe(true);
    const outputs = await opened.all('document-commands');
    expect(new Set(outputs.map(({ headers }) => headers['message-id']))).toEqual(
      new Set(ids.map((id) => derivedMessageId(id, 0))),
    );
  });
});

describe('a stream', () => {
  it('is published as it comes, each part durable before the next is asked for', async () => {
    const hold = gate();
    const processor = purgeProcessor(async function* (delivery) {
      yield purged(delivery, 'first');
      await hold.opened;
      yield purged(delivery, 'second');
    });
    const opened = await openBench([processor]);
    bench = opened;
    await opened.start(processor);
    await opened.publisher.publish([purge('a')], { 'message-id': 'm' });
    await eventually(async () => {
      expect(await kinds(opened)).toEqual(['first']);
    });
    expect(await opened.lag(processor)).toBe(1);
    hold.open();
    await done(opened, processor);
    expect(await kinds(opened)).toEqual(['first', 'second']);
  });

  it('that breaks off is made again, with the same ids', async () => {
    const processor = purgeProcessor(async function* (delivery) {
      yield await Promise.resolve(purged(delivery, 'first'));
      if (delivery.attempt < 3) throw new Error('broken off');
      yield purged(delivery, 'second');
    });
    bench = await openBench([processor]);
    await bench.start(processor);
    await bench.publisher.publish([purge('a')], { 'message-id': 'm' });
    await done(bench, processor);
    const ids = (await bench.all('document-commands')).map(({ headers }) => headers['message-id']);
    const [first, second] = [derivedMessageId('m', 0), derivedMessageId('m', 1)];
    expect(ids).toEqual([first, first, first, second]);
  });
});
