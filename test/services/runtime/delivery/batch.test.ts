import { afterEach, describe, expect, it } from 'vitest';
import { topics } from '../../../../schema/topics.js';
import { SluiceError } from '../../../../services/domain/errors.js';
import {
  defineProcessor,
  output,
  type BatchLimits,
  type Delivery,
  type Outcome,
  type Output,
} from '../../../../services/runtime/processor.js';
import { noConfig, openBench, purge, type Bench, eventually } from './harness.js';

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.end();
});

type Purge = Delivery<typeof topics.purges>;
type Outcomes = readonly Outcome<Output<typeof topics.documentCommands>>[];

const passed = ({ value }: Purge): Outcomes[number] => ({
  outputs: [
    output(topics.documentCommands, {
      kind: 'purged',
      workspace: 'w',
      collection: 'c',
      document_id: value.document_id,
      version: value.version,
    }),
  ],
});

const batching = (
  handleBatch: (deliveries: readonly Purge[]) => Promise<Outcomes>,
  limits: Partial<BatchLimits> = {},
) =>
  defineProcessor({
    name: 'subject',
    input: topics.purges,
    outputs: [topics.documentCommands],
    ports: [],
    config: noConfig,
    batch: () => ({ maxItems: 64, maxBytes: 10_000_000, lingerMs: 10, ...limits }),
    handleBatch,
  });

const names = (count: number): string[] => [...Array(count).keys()].map((index) => `k${index}`);

async function run(
  processor: ReturnType<typeof batching>,
  purges: readonly ReturnType<typeof purge>[],
): Promise<Bench> {
  const opened = await openBench([processor]);
  bench = opened;
  await opened.publisher.publish(purges);
  await opened.start(processor);
  await eventually(async () => {
    expect(await opened.lag(processor)).toBe(0);
  });
  return opened;
}

const letters = async (of: Bench): Promise<(string | null)[]> =>
  (await of.all('purges.subject.dead-letter')).map(({ key }) => key);
const outputsOf = async (of: Bench): Promise<(string | null)[]> =>
  (await of.all('document-commands')).map(({ key }) => key);

describe('batches', () => {
  it('gather messages of many keys and partitions into few calls', async () => {
    const sizes: number[] = [];
    const opened = await run(
      batching((deliveries) => {
        sizes.push(deliveries.length);
        return Promise.resolve(deliveries.map(passed));
      }),
      names(1_000).map((name) => purge(name)),
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBe(1_000);
    expect(Math.max(...sizes)).toBe(64);
    expect(sizes.length).toBeLessThan(40);
    expect(new Set(await outputsOf(opened)).size).toBe(1_000);
  });

  it('do not wait longer than they are told for more', async () => {
    const sizes: number[] = [];
    const processor = batching(
      (deliveries) => {
        sizes.push(deliveries.length);
        return Promise.resolve(deliveries.map(passed));
      },
      { lingerMs: 1_500 },
    );
    const opened = await openBench([processor]);
    bench = opened;
    await opened.start(processor);
    await opened.publisher.publish([purge('a')]);
    await opened.publisher.publish([purge('b')]);
    await eventually(async () => {
      expect(await opened.lag(processor)).toBe(0);
    });
    expect(sizes).toEqual([2]);
  });

  it('wait longer while many come, and never for what comes alone or when they are full', async () => {
    const sizes: number[] = [];
    const processor = batching(
      (deliveries) => {
        sizes.push(deliveries.length);
        return Promise.resolve(deliveries.map(passed));
      },
      { maxItems: 16, lingerMs: 0, busyLingerMs: 600_000 },
    );
    const opened = await openBench([processor]);
    bench = opened;
    await opened.start(processor);
    const handled = (count: number) =>
      eventually(() => {
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(count);
      });
    for (let n = 0; n < 4; n++) {
      await opened.publisher.publish([purge(`alone-${n}`)]);
      await handled(n + 1);
    }
    expect(sizes).toEqual([1, 1, 1, 1]);
    await opened.publisher.publish(names(12).map((name) => purge(name)));
    await opened.publisher.publish(names(4).map((name) => purge(`more-${name}`)));
    await handled(20);
    expect(sizes).toEqual([1, 1, 1, 1, 16]);
  });

  it('stay within their bytes', async () => {
    const sizes: number[] = [];
    await run(
      batching(
        (deliveries) => {
          sizes.push(deliveries.length);
          return Promise.resolve(deliveries.map(passed));
        },
        { maxBytes: 50_000 },
      ),
      names(100).map((name) => purge(name)),
    );
    expect(Math.max(...sizes)).toBeLessThan(15);
  });

  it('keep the order of each key, also within one call and over failures', async () => {
    const seen = new Map<string, number[]>();
    let calls = 0;
    await run(
      batching((deliveries) => {
        calls++;
        let failed = false;
        return Promise.resolve(
          deliveries.map((delivery) => {
            const { document_id: key, version } = delivery.value;
            if (delivery.attempt === 1 && version === 3 && key === 'k1') {
              failed = true;
              return { error: new Error('once') };
            }
            // The handler says passed for later ones of the key, too; the runtime knows better.
            if (!(failed && key === 'k1')) seen.set(key, [...(seen.get(key) ?? []), version]);
            return passed(delivery);
          }),
        );
      }),
      [1, 2, 3, 4, 5].flatMap((version) => names(4).map((name) => purge(name, version))),
    );
    expect(calls).toBeGreaterThan(1);
    for (const name of names(4)) expect(seen.get(name)).toEqual([1, 2, 3, 4, 5]);
    const published = (await bench?.all('document-commands')) ?? [];
    expect(published).toHaveLength(20);
  });
});

describe('one bad message in a batch', () => {
  it('that makes the handler throw is found by halving; the others pass in the meantime', async () => {
    const sizes: number[] = [];
    const opened = await run(
      batching((deliveries) => {
        sizes.push(deliveries.length);
        if (deliveries.some(({ value }) => value.document_id === 'k37')) throw new Error('k37 breaks the call');
        return Promise.resolve(deliveries.map(passed));
      }),
      names(64).map((name) => purge(name)),
    );
    expect(await letters(opened)).toEqual(['k37']);
    expect((await opened.all('purges.subject.dead-letter'))[0]?.headers).toMatchObject({ attempts: '5' });
    expect((await outputsOf(opened)).sort()).toEqual(
      names(64)
        .filter((name) => name !== 'k37')
        .map((name) => `w/c/${name}`)
        .sort(),
    );
    // 64 halved six times, and four more attempts at the one that is left.
    expect(sizes.length).toBeLessThanOrEqual(1 + 12 + 4 + 4);
  });

  it('that is terminal goes at once', async () => {
    const opened = await run(
      batching((deliveries) => {
        if (deliveries.some(({ value }) => value.document_id === 'k5')) {
          throw new SluiceError('space-mismatch', 'another width');
        }
        return Promise.resolve(deliveries.map(passed));
      }),
      names(16).map((name) => purge(name)),
    );
    expect(await letters(opened)).toEqual(['k5']);
    expect((await opened.all('purges.subject.dead-letter'))[0]?.headers).toMatchObject({ attempts: '1' });
  });

  it('that is named by its outcome does not touch the others', async () => {
    let calls = 0;
    const opened = await run(
      batching((deliveries) => {
        calls++;
        return Promise.resolve(
          deliveries.map((delivery) =>
            delivery.value.document_id === 'k3'
              ? { error: new SluiceError('invalid-document', 'bad') }
              : passed(delivery),
          ),
        );
      }),
      names(16).map((name) => purge(name)),
    );
    expect(calls).toBe(1);
    expect(await letters(opened)).toEqual(['k3']);
    expect(await outputsOf(opened)).toHaveLength(15);
  });

  it('holds the later ones of its key, but no others, while it waits', async () => {
    const order: string[] = [];
    await run(
      batching((deliveries) =>
        Promise.resolve(
          deliveries.map((delivery) => {
            const { document_id: key, version } = delivery.value;
            if (key === 'k0' && version === 1 && delivery.attempt < 4) return { error: new Error('not yet') };
            order.push(`${key}:${version}`);
            return passed(delivery);
          }),
        ),
      ),
      [1, 2].flatMap((version) => names(4).map((name) => purge(name, version))),
    );
    const passedTwice = order.filter((entry) => entry.startsWith('k0'));
    expect(passedTwice.slice(-2)).toEqual(['k0:1', 'k0:2']);
    expect(await bench?.all('document-commands')).toHaveLength(8);
  });

  it('that the bus refuses does not touch the others', async () => {
    const opened = await run(
      batching((deliveries) =>
        Promise.resolve(
          deliveries.map((delivery) => {
            if (delivery.value.document_id !== 'k2') return passed(delivery);
            const tooLarge = { kind: 'x'.repeat(2_000_000), workspace: 'w', collection: 'c', document_id: 'k2' };
            return { outputs: [output(topics.documentCommands, tooLarge)] };
          }),
        ),
      ),
      names(8).map((name) => purge(name)),
    );
    expect(await letters(opened)).toEqual(['k2']);
    expect(await outputsOf(opened)).toHaveLength(7);
  });

  it('that meets an outage each time is alone in the end, and the others pass', async () => {
    let k1 = 0;
    const processor = batching((deliveries) => {
      if (deliveries.some(({ value }) => value.document_id === 'k1')) {
        k1++;
        throw new SluiceError('unavailable', 'HTTP 500');
      }
      return Promise.resolve(deliveries.map(passed));
    });
    const opened = await openBench([processor]);
    bench = opened;
    await opened.publisher.publish(names(16).map((name) => purge(name)));
    await opened.start(processor);
    await eventually(async () => {
      expect(await outputsOf(opened)).toHaveLength(15);
    });
    expect(k1).toBeGreaterThan(1);
    expect(await letters(opened)).toEqual([]);
  });
});

describe('a handler of batches', () => {
  it('that is down for a while loses nothing and fills its calls again afterwards', async () => {
    let down = 40;
    const sizes: number[] = [];
    const opened = await run(
      batching((deliveries) => {
        if (down-- > 0) throw new SluiceError('unavailable', 'the model is down');
        sizes.push(deliveries.length);
        return Promise.resolve(deliveries.map(passed));
      }),
      names(800).map((name) => purge(name)),
    );
    expect(await letters(opened)).toEqual([]);
    expect(new Set(await outputsOf(opened)).size).toBe(800);
    expect(Math.max(...sizes)).toBe(64);
  });

  it('that answers with too few outcomes is at fault, and nothing is taken for done', async () => {
    const opened = await run(
      batching((deliveries) => Promise.resolve(deliveries.slice(1).map(passed))),
      names(2).map((name) => purge(name)),
    );
    expect((await letters(opened)).sort()).toEqual(['k0', 'k1']);
  });
});
