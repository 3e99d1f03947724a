import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEmbeddedBus } from '../../services/ports/bus/embedded/embedded-bus.js';
import { murmur2, partitionOf } from '../../services/ports/bus/partitioner.js';
import type { Bus } from '../../services/ports/bus/port.js';
import { describeBusContract, listen, message } from './bus-contract.js';

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'sluice-bus-'));
const removal = (folder: string) => () => rm(folder, { recursive: true, force: true });
const publishingChild = fileURLToPath(new URL('bus-embedded-child.mjs', import.meta.url));

describeBusContract('embedded', async () => {
  const folder = await newFolder();
  return { bus: await createEmbeddedBus({ folder }), remove: removal(folder) };
});

describe('embedded bus', () => {
  let folder: string;
  let bus: Bus | undefined;
  const log = { name: 'log', class: 'log', partitions: 1, retentionMs: 3_600_000 } as const;
  const open = async (options: Partial<Parameters<typeof createEmbeddedBus>[0]> = {}): Promise<Bus> => {
    bus = await createEmbeddedBus({ folder, ...options });
    await bus.ensureTopics([log]);
    return bus;
  };
  const offsets = async (of: Bus): Promise<bigint[]> => {
    const found: bigint[] = [];
    for await (const { offset } of of.read('log')) found.push(offset);
    return found;
  };

  beforeEach(async () => {
    folder = await newFolder();
  });
  afterEach(async () => {
    await bus?.close();
    bus = undefined;
    await removal(folder)();
  });

  it('keeps topics, records and offsets over a restart, and numbers on', async () => {
    const first = await open();
    await first.publish([message('log', 'k', '0'), message('log', 'k', '1')]);
    const { consumer } = await listen(first, { group: 'g', topics: ['log'], from: 'committed' });
    await consumer.commit({ topic: 'log', partition: 0 }, 1n);
    await first.close();

    const second = await open();
    expect(await second.committed('g', 'log')).toEqual([1n]);
    await second.publish([message('log', 'k', '2')]);
    const { values, records } = await listen(second, { group: 'g', topics: ['log'], from: 'committed' });
    await vi.waitFor(() => {
      expect(values()).toEqual(['1', '2']);
    });
    expect(records.map(({ offset }) => offset)).toEqual([1n, 2n]);
  });

  it('finds each partition’s end again, with no record, one, or more, whatever its neighbours hold', async () => {
    const partitions = 12;
    const wide = { ...log, partitions };
    const counts = [0, 1, 2, 0, 1, 0, 0, 3, 1, 0, 1, 0];
    const names = ['wide-a', 'wide-b', 'wide-c'];
    const first = await open();
    await first.ensureTopics(names.map((name) => ({ ...wide, name })));
    const keyFor = (partition: number): string =>
      [...Array(500).keys()].map(String).find((key) => partitionOf(key, partitions) === partition) ?? '';
    for (const name of ['wide-a', 'wide-c']) {
      for (const [partition, count] of counts.entries()) {
        for (let index = 0; index < count; index++) await first.publish([message(name, keyFor(partition), 'v')]);
      }
    }
    await first.close();
    const second = await open();
    const ends = counts.map(BigInt);
    expect(await second.endOffsets('wide-a')).toEqual(ends);
    expect(await second.endOffsets('wide-b')).toEqual(counts.map(() => 0n));
    expect(await second.endOffsets('wide-c')).toEqual(ends);
  });

  it('takes any folder name, also one that looks like a file’s', async () => {
    const dotted = await createEmbeddedBus({ folder: join(folder, 'data.v1') });
    await dotted.ensureTopics([log]);
    await dotted.close();
    expect(existsSync(join(folder, 'data.v1', 'data.mdb'))).toBe(true);
  });

  it('forgets requests with the process', async () => {
    const first = await open();
    await first.ensureTopics([{ ...log, name: 'requests', class: 'request' }]);
    await first.publish([message('requests', 'k', 'asked')]);
    await first.close();
    const second = await open();
    expect(await second.endOffsets('requests')).toEqual([0n]);
  });

  it('frees requests once every reader has them', async () => {
    const open1 = await open();
    await open1.ensureTopics([{ ...log, name: 'requests', class: 'request' }]);
    const { consumer, records } = await listen(open1, { group: 'g', topics: ['requests'], from: 'committed' });
    const inbox = await listen(open1, { group: 'i', topics: ['requests'], from: 'end' });
    // More than a partition may hold unread.
    const value = Buffer.alloc(1024 * 1024 - 100);
    for (let index = 1; index <= 40; index++) {
      await open1.publish([{ topic: 'requests', key: 'k', value, headers: {} }]);
      await vi.waitFor(() => {
        expect([records.length, inbox.records.length]).toEqual([index, index]);
      });
      await consumer.commit({ topic: 'requests', partition: 0 }, BigInt(index));
    }
  });

  it('refuses requests that nobody reads before they fill the memory', async () => {
    const open1 = await open();
    await open1.ensureTopics([{ ...log, name: 'requests', class: 'request' }]);
    await listen(open1, { group: 'g', topics: ['requests'], from: 'committed' });
    const value = Buffer.alloc(1024 * 1024 - 100);
    const flood = async (): Promise<void> => {
      for (let index = 0; index < 64; index++)
        await open1.publish([{ topic: 'requests', key: 'k', value, headers: {} }]);
    };
    await expect(flood()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('has one owner: a second one is told who', async () => {
    await open();
    await expect(createEmbeddedBus({ folder })).rejects.toMatchObject({
      code: 'data-folder-in-use',
      message: expect.stringMatching(new RegExp(`${folder}.*${process.pid} on ${hostname()}`)) as string,
    });
  });

  it('takes over from a dead owner, whose number another process may have now', async () => {
    const dead = { pid: 1, host: hostname(), process_start: 'an earlier boot/1', since: 'yesterday' };
    await writeFile(join(folder, 'owner.json'), JSON.stringify(dead));
    await open();
    const owner = JSON.parse(await readFile(join(folder, 'owner.json'), 'utf8')) as { pid: number };
    expect(owner.pid).toBe(process.pid);
  });

  it('believes an owner on another host while it renews its claim', async () => {
    const other = { pid: 1, host: 'elsewhere', process_start: null, since: 'today' };
    await writeFile(join(folder, 'owner.json'), JSON.stringify(other));
    await expect(createEmbeddedBus({ folder })).rejects.toMatchObject({ code: 'data-folder-in-use' });
  });

  it('lets only one of many that start at once have the folder', async () => {
    const children = await Promise.all(
      Array.from(
        { length: 4 },
        () =>
          new Promise<string>((resolve) => {
            const child = spawn(process.execPath, [publishingChild, folder, 'own'], {
              stdio: ['pipe', 'pipe', 'inherit'],
            });
            createInterface(child.stdout).once('line', (line) => {
              resolve(line);
              // Owners stay until all have tried.
              setTimeout(() => child.stdin.end(), 3_000);
            });
          }),
      ),
    );
    expect(children.filter((line) => line === 'owner')).toHaveLength(1);
    expect(children.filter((line) => line === 'data-folder-in-use')).toHaveLength(3);
  });

  it('has every acknowledged record and commit after kill -9, again and again', async () => {
    let acknowledged = 0;
    let committed = 0n;
    for (let round = 0; round < 4; round++) {
      const child = spawn(process.execPath, [publishingChild, folder, 'publish'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const died = new Promise((resolve) => child.once('close', resolve));
      const killAt = acknowledged + 150 + round * 70;
      for await (const line of createInterface(child.stdout)) {
        const [what, number = ''] = line.split(' ');
        if (what === 'published') acknowledged = Number(number);
        else if (what === 'committed') committed = BigInt(number);
        if (acknowledged >= killAt) child.kill('SIGKILL');
      }
      await died;
      // The folder of a killed owner is free at once.
      const reopened = await open();
      const values: number[] = [];
      for await (const { value } of reopened.read('log')) values.push(Number(value));
      expect(values).toEqual([...values.keys()]);
      expect(values.length).toBeGreaterThanOrEqual(acknowledged);
      expect((await reopened.committed('g', 'log'))[0]).toBeGreaterThanOrEqual(committed);
      acknowledged = values.length;
      await reopened.close();
    }
  });

  describe('retention', () => {
    const expired = { ...log, retentionMs: 1 };
    const publish = (to: Bus, count: number) =>
      to.publish(Array.from({ length: count }, (_, index) => message('log', 'k', String(index))));
    const aMoment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));

    it('removes expired records that every group has read, and goes on numbering after a restart', async () => {
      const first = await open({ retentionCheckMs: 5 });
      await first.ensureTopics([expired]);
      const a = await listen(first, { group: 'a', topics: ['log'], from: 'committed' });
      const b = await listen(first, { group: 'b', topics: ['log'], from: 'committed' });
      await publish(first, 5_000);
      await a.consumer.commit({ topic: 'log', partition: 0 }, 5_000n);
      await b.consumer.commit({ topic: 'log', partition: 0 }, 3_000n);
      await vi.waitFor(async () => {
        expect((await offsets(first))[0]).toBe(3_000n);
      });
      await b.consumer.commit({ topic: 'log', partition: 0 }, 5_000n);
      await vi.waitFor(async () => {
        expect(await offsets(first)).toEqual([4_999n]);
      });
      await first.close();
      const second = await open();
      expect(await second.endOffsets('log')).toEqual([5_000n]);
    });

    it('keeps what a group that is not here has not read, and what nobody ever read', async () => {
      const first = await open({ retentionCheckMs: 5 });
      await first.ensureTopics([expired, { ...expired, name: 'letters' }]);
      const absent = await listen(first, { group: 'absent', topics: ['log'], from: 'committed' });
      await absent.consumer.close();
      await publish(first, 10);
      await first.publish([message('letters', 'k', 'a'), message('letters', 'k', 'b')]);
      await aMoment();
      expect(await offsets(first)).toHaveLength(10);
      const letters = [];
      for await (const letter of first.read('letters')) letters.push(letter);
      expect(letters).toHaveLength(2);
    });

    it('keeps what is not expired', async () => {
      const first = await open({ retentionCheckMs: 5 });
      const { consumer } = await listen(first, { group: 'a', topics: ['log'], from: 'committed' });
      await publish(first, 10);
      await consumer.commit({ topic: 'log', partition: 0 }, 10n);
      await aMoment();
      expect(await offsets(first)).toHaveLength(10);
    });

    it('removes the oldest read records of a topic beyond its share, so that the store stays small', async () => {
      const first = await open({ retentionCheckMs: 5, maxReadBytesPerTopic: 1_000_000 });
      const { consumer, records } = await listen(first, { group: 'a', topics: ['log'], from: 'committed' });
      const value = Buffer.alloc(100_000);
      let published = 0;
      const push = async (): Promise<void> => {
        for (let index = 0; index < 50; index++) await first.publish([{ topic: 'log', key: 'k', value, headers: {} }]);
        published += 50;
        await vi.waitFor(() => {
          expect(records).toHaveLength(published);
        });
        await consumer.commit({ topic: 'log', partition: 0 }, BigInt(published));
        await vi.waitFor(async () => {
          expect((await offsets(first)).length).toBeLessThanOrEqual(11);
        });
      };
      for (let round = 0; round < 3; round++) await push();
      const { size } = await stat(join(folder, 'data.mdb'));
      for (let round = 0; round < 6; round++) await push();
      expect((await stat(join(folder, 'data.mdb'))).size).toBeLessThan(size * 2);
    });
  });

  it.runIf(existsSync('/proc/self/maps'))('maps its file into memory once, however large it grows', async () => {
    const first = await open();
    const value = Buffer.alloc(500_000);
    for (let index = 0; index < 40; index++) await first.publish([{ topic: 'log', key: 'k', value, headers: {} }]);
    const file = join(folder, 'data.mdb');
    expect((await stat(file)).size).toBeGreaterThan(20e6);
    const maps = await readFile('/proc/self/maps', 'utf8');
    expect(maps.split('\n').filter((line) => line.endsWith(file))).toHaveLength(1);
  });

  describe('damage', () => {
    const wayOut = { code: 'configuration-invalid', message: expect.stringMatching(/sluice-bus-.*backup/) as string };

    it('says so when the store is garbage', async () => {
      await writeFile(join(folder, 'data.mdb'), Buffer.alloc(100_000, 7));
      await expect(createEmbeddedBus({ folder })).rejects.toMatchObject(wayOut);
    });

    it('says so when the store is cut off', async () => {
      const first = await open();
      const value = Buffer.alloc(1_000);
      await first.publish(Array.from({ length: 2_000 }, () => ({ topic: 'log', key: 'k', value, headers: {} })));
      await first.close();
      bus = undefined;
      await truncate(join(folder, 'data.mdb'), 400_000);
      await expect(createEmbeddedBus({ folder })).rejects.toMatchObject(wayOut);
    });

    it('says so when the folder cannot be made', async () => {
      await writeFile(join(folder, 'file'), '');
      await expect(createEmbeddedBus({ folder: join(folder, 'file', 'bus') })).rejects.toMatchObject({
        code: 'configuration-invalid',
      });
    });
  });

  it('says storage-full when the disk is, keeps what it acknowledged, and goes on when there is space', async (context) => {
    const canMount = process.getuid?.() === 0 && existsSync('/bin/mount');
    try {
      if (!canMount) throw new Error('only root may mount');
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
    } catch (error) {
      context.skip(`no small disk can be made here: ${error instanceof Error ? error.message : ''}`);
    }
    try {
      const ballast = join(folder, 'ballast');
      await writeFile(ballast, Buffer.alloc(2_000_000));
      const small = await open();
      const value = Buffer.alloc(100_000);
      let acknowledged = 0;
      const fill = async (): Promise<void> => {
        for (;;) {
          await small.publish([{ topic: 'log', key: 'k', value, headers: {} }]);
          acknowledged++;
        }
      };
      await expect(fill()).rejects.toMatchObject({ code: 'storage-full', class: 'unavailable' });
      expect(await offsets(small)).toHaveLength(acknowledged);
      await rm(ballast);
      await small.publish([{ topic: 'log', key: 'k', value, headers: {} }]);
      await small.close();
      const again = await open();
      expect(await offsets(again)).toEqual([...Array(acknowledged + 1).keys()].map(BigInt));
      await again.close();
    } finally {
      execFileSync('umount', ['-l', folder]);
    }
  });

  it('takes at least 20,000 small records a second from concurrent publishers', async () => {
    const fast = await open();
    const publishers = 50;
    const value = Buffer.alloc(200);
    const start = performance.now();
    await Promise.all(
      Array.from({ length: publishers }, async (_, publisher) => {
        for (let batch = 0; batch < 40; batch++) {
          await fast.publish(
            Array.from({ length: 20 }, () => ({ topic: 'log', key: `k${publisher}`, value, headers: {} })),
          );
        }
      }),
    );
    const perSecond = (publishers * 40 * 20) / ((performance.now() - start) / 1000);
    expect(perSecond).toBeGreaterThan(20_000);
  });
});

describe('partitioner', () => {
  it('agrees with Kafka’s', () => {
    // Values of org.apache.kafka.common.utils.Utils.murmur2 in its own tests.
    const known: [string, number][] = [
      ['21', -973932308],
      ['foobar', -790332482],
      ['a-little-bit-long-string', -985981536],
      ['a-little-bit-longer-string', -1486304829],
      ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
      ['abc', 479470107],
    ];
    for (const [key, hash] of known) expect(murmur2(Buffer.from(key)) | 0).toBe(hash);
    expect(partitionOf('abc', 12)).toBe(479470107 % 12);
  });
});
