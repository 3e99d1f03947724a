import { afterEach, describe, expect, it, vi } from 'vitest';
import { topics } from '../../../../schema/topics.js';
import { output, type Delivery } from '../../../../services/runtime/processor.js';
import { openBench, purge, purgeProcessor, type Bench, eventually } from './harness.js';

let bench: Bench | undefined;
const rejections: unknown[] = [];
const onRejection = (reason: unknown): void => {
  rejections.push(reason);
};
process.on('unhandledRejection', onRejection);
afterEach(async () => {
  await bench?.end();
  expect(rejections.splice(0)).toEqual([]);
});

const purged = ({ value }: Delivery<typeof topics.purges>) =>
  output(topics.documentCommands, { kind: 'purged', workspace: 'w', collection: 'c', document_id: value.document_id });
const started = vi.fn();
afterEach(() => started.mockReset());
const hasStarted = (times = 1) =>
  eventually(() => {
    expect(started).toHaveBeenCalledTimes(times);
  });
const commands = async (): Promise<number> => (await bench?.all('document-commands'))?.length ?? 0;

describe('stop', () => {
  it('lets running handlers finish, commits them and starts no others', async () => {
    const processor = {
      ...purgeProcessor(async (delivery) => {
        started();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return [purged(delivery)];
      }),
      concurrency: () => 2,
    };
    bench = await openBench([processor]);
    const running = await bench.start(processor);
    await bench.publisher.publish([...Array(20).keys()].map((index) => purge(`k${index}`)));
    await hasStarted(2);
    await running.stop(5_000);
    expect(await commands()).toBe(2);
    expect(started).toHaveBeenCalledTimes(2);
    expect(running.health().ready).toBe(false);
    // Whoever comes next does the rest; no message is lost.
    await bench.start(processor);
    await eventually(async () => {
      expect(await bench?.lag(processor)).toBe(0);
    });
    expect(await commands()).toBeGreaterThanOrEqual(20);
  });

  it('aborts a handler after the grace period and leaves its message uncommitted', async () => {
    const processor = purgeProcessor(async (_delivery, { signal }) => {
      started();
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
      return [];
    });
    bench = await openBench([processor]);
    const running = await bench.start(processor);
    await bench.publisher.publish([purge('a')]);
    await hasStarted();
    const before = performance.now();
    await running.stop(30);
    expect(performance.now() - before).toBeGreaterThanOrEqual(28);
    expect(await bench.lag(processor)).toBe(1);
    expect(await bench.all('purges.subject.dead-letter')).toEqual([]);
  });

  it('does not wait for a handler that hangs, nor publish what it returns too late', async () => {
    let finish: () => void = () => undefined;
    const processor = purgeProcessor(async (delivery) => {
      started();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return [purged(delivery)];
    });
    bench = await openBench([processor]);
    const running = await bench.start(processor);
    await bench.publisher.publish([purge('a')]);
    await hasStarted();
    await running.stop(10);
    finish();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await commands()).toBe(0);
    expect(await bench.lag(processor)).toBe(1);
  });

  it('survives a handler that rejects after it was given up, and a stream that hangs', async () => {
    let reject: (error: Error) => void = () => undefined;
    const processor = purgeProcessor((delivery) => {
      started();
      if (delivery.value.document_id === 'promise') {
        return new Promise((_resolve, late) => {
          reject = late;
        });
      }
      return (async function* () {
        yield purged(delivery);
        await new Promise(() => undefined);
      })();
    });
    bench = await openBench([processor]);
    const running = await bench.start(processor);
    await bench.publisher.publish([purge('promise'), purge('stream')]);
    await hasStarted(2);
    await running.stop(10);
    reject(new Error('too late'));
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('ends a wait for a retry', async () => {
    const processor = purgeProcessor(() => {
      started();
      throw new Error('again and again');
    });
    bench = await openBench([processor]);
    const running = await bench.start(processor, { settings: { firstRetryMs: 60_000, maxRetryMs: 60_000 } });
    await bench.publisher.publish([purge('a')]);
    await hasStarted();
    const before = performance.now();
    await running.stop(10_000);
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(await bench.lag(processor)).toBe(1);
  });
});

describe('a partition that is lost', () => {
  it('aborts its handlers; their results are discarded, and the new owner handles the messages', async () => {
    const revoked: string[] = [];
    let instance = 'first';
    const processor = {
      ...purgeProcessor(async (delivery, { signal }) => {
        const mine = instance;
        started();
        if (mine === 'second') return [purged(delivery)];
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            revoked.push(delivery.value.document_id);
            resolve();
          });
        });
        // Returned all the same, as if nothing had happened.
        return [purged(delivery), purged(delivery)];
      }),
      concurrency: () => 100,
    };
    const opened = await openBench([processor]);
    bench = opened;
    const first = await opened.start(processor);
    await opened.publisher.publish([...Array(40).keys()].map((index) => purge(`k${index}`)));
    await hasStarted(40);
    instance = 'second';
    await opened.start(processor);
    await eventually(async () => {
      expect(revoked.length).toBeGreaterThan(0);
      expect(await commands()).toBe(revoked.length);
    });
    const owned = (await opened.all('document-commands')).map(({ key }) => key);
    expect(owned.sort()).toEqual(revoked.map((id) => `w/c/${id}`).sort());
    await first.stop(0);
    await eventually(async () => {
      expect(await opened.lag(processor)).toBe(0);
    });
    expect(await commands()).toBe(40);
  });
});
