import { mkdtemp, rm, utimes, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NewDocumentCommand } from '../../../schema/generated.js';
import { drainRoute, advanceDrainPass } from '../../../services/librarian/drain-pass.js';
import { sweepVersions, type SweepOptions, type SweepResult } from '../../../services/librarian/sweep.js';
import { startSweeper, sweeperConfig } from '../../../services/librarian/sweeper.js';
import { sweepUploads } from '../../../services/librarian/upload-sweep.js';
import { createEmbeddedBus } from '../../../services/ports/bus/embedded/embedded-bus.js';
import type { Bus, Consumer } from '../../../services/ports/bus/port.js';
import type { Output } from '../../../services/runtime/processor.js';
import { message, openStores, Workshop, type CommandDelivery, type Stores } from './workshop.js';

let stores: Stores;
let bus: Bus;
let folder: string;
let workshop: Workshop;
const topicNames = [...new Set(drainRoute.map(({ topic }) => topic))];

beforeAll(async () => {
  stores = await openStores();
  folder = await mkdtemp(join(tmpdir(), 'sluice-sweep-'));
  bus = await createEmbeddedBus({ folder });
  await bus.ensureTopics(
    topicNames.map((name) => ({ name, class: 'log' as const, partitions: 2, retentionMs: 86_400_000 })),
  );
}, 180_000);
afterAll(async () => {
  await stores.close();
  await bus.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  workshop = await Workshop.open(stores);
});

const put = (topic: string): Promise<void> => bus.publish([{ topic, key: 'k', value: Buffer.from('x'), headers: {} }]);

/** Commits a group's offsets up to the end of the topic. */
async function readAll(group: string, topic: string): Promise<void> {
  const consumer: Consumer = await bus.consume(
    { group, topics: [topic], from: 'committed' },
    {
      assigned: () => undefined,
      revoked: () => undefined,
      records: () => undefined,
      fatal: (error) => {
        throw error;
      },
    },
  );
  for (const [partition, end] of (await bus.endOffsets(topic)).entries())
    await consumer.commit({ topic, partition }, end);
  await consumer.close();
}

async function readEverything(): Promise<void> {
  for (const { group, topic } of drainRoute) await readAll(group, topic);
}

/** A pass that begins after now and ends. */
async function fullPass(): Promise<void> {
  await readEverything();
  await advanceDrainPass(bus, stores.catalog);
  const before = await stores.catalog.now();
  await expect
    .poll(async () => ((await advanceDrainPass(bus, stores.catalog)).startedAt ?? before) > before)
    .toBe(true);
}

const options: SweepOptions = { stalledAfterMs: 0, purgeAfterMs: 0, batchSize: 100, claimMs: 600_000 };

class Publications {
  readonly commands: CommandDelivery[] = [];
  publish(outputs: readonly Output[]): Promise<void> {
    for (const { value, headers } of outputs) {
      this.commands.push(message(value as NewDocumentCommand, headers?.['message-id']));
    }
    return Promise.resolve();
  }
  mine(): CommandDelivery[] {
    return this.commands.filter(({ value }) => value.workspace === workshop.workspace);
  }
}

const ports = () => ({ bus, catalog: stores.catalog, librarianStore: stores.catalog, blobStore: stores.blobStore });
const sweep = (published: Publications, change: Partial<SweepOptions> = {}): Promise<SweepResult> =>
  sweepVersions(ports(), published, { ...options, ...change });

describe('a drain pass', () => {
  it('waits at a topic until its group has read it, says where, and counts from its start', async () => {
    await fullPass();
    await put('chunks-created');
    const start = await stores.catalog.now();
    const waiting = await advanceDrainPass(bus, stores.catalog);
    expect(waiting.held).toMatchObject({ topic: 'chunks-created', group: 'embedder', committed: 0n, end: 1n });
    expect(waiting.startedAt?.getTime()).toBeLessThan(start.getTime() + 1);
    expect((await advanceDrainPass(bus, stores.catalog)).held).toMatchObject({ topic: 'chunks-created' });
    // What comes after the pass has noted the end does not hold it.
    await readAll('embedder', 'chunks-created');
    await put('chunks-created');
    const ended = await advanceDrainPass(bus, stores.catalog);
    expect(ended.held).toBeNull();
    await readAll('embedder', 'chunks-created');
  });

  it('is moved by many sweepers at once', async () => {
    await fullPass();
    const passes = await Promise.all(Array.from({ length: 5 }, () => advanceDrainPass(bus, stores.catalog)));
    expect(passes.every(({ held }) => held === null)).toBe(true);
  });
});

describe('a sweep', () => {
  it('drives no version again while its work may still be in a queue', async () => {
    await put('chunks-created');
    await workshop.batch([await workshop.submit('d', 'x')]);
    const published = new Publications();
    // The embedder is off: pass after pass would begin, but none that began after the submit can end.
    for (let period = 0; period < 3; period++) expect(await sweep(published)).toMatchObject({ redriven: 0, failed: 0 });
    expect(published.mine()).toEqual([]);
    await fullPass();
    await sweep(published);
    expect(published.mine().map(({ value }) => value)).toMatchObject([{ kind: 'stalled', version: 1, seq: 1 }]);
  });

  it('counts each stalled version once, however many sweep', async () => {
    const submits = await Promise.all(Array.from({ length: 25 }, (_, index) => workshop.submit(`d${index}`, 'x')));
    await workshop.batch(submits);
    await fullPass();
    const published = new Publications();
    const results = await Promise.all([1, 2, 3].map(() => sweep(published, { batchSize: 4 })));
    expect(published.mine()).toHaveLength(25);
    expect(results.reduce((sum, { redriven }) => sum + redriven, 0)).toBe(published.commands.length);
    await workshop.batch(published.mine());
    const { items } = await workshop.catalog.documents({ workspace: workshop.workspace, limit: 100 });
    expect(items.every(({ newest }) => newest?.state === 'pending')).toBe(true);
    const again = new Publications();
    await sweep(again, { stalledAfterMs: 60_000 });
    expect(again.mine()).toEqual([]);
  });

  it('drives a silent version three times and then lets it fail', async () => {
    await workshop.batch([await workshop.submit('d', 'x')]);
    const seen: string[] = [];
    for (let round = 0; round < 5; round++) {
      await fullPass();
      const published = new Publications();
      await sweep(published);
      const before = workshop.outputs.length;
      await workshop.batch(published.mine());
      seen.push(...workshop.outputs.slice(before).map(({ topic }) => topic.name));
    }
    expect(seen).toEqual(['documents-accepted', 'documents-accepted', 'documents-accepted', 'document-events']);
    expect(await workshop.document('d')).toMatchObject({
      newest: { state: 'failed', stage: 'decoder', code: 'stalled' },
    });
  });

  it('asks again for what a sweeper claimed that died before it asked, by the same command', async () => {
    await workshop.batch([await workshop.submit('d', 'x')]);
    await fullPass();
    const dying = { publish: () => Promise.reject(new Error('killed')) };
    await expect(sweepVersions(ports(), dying, { ...options, claimMs: 300 })).rejects.toThrow('killed');
    const published = new Publications();
    await sweep(published);
    expect(published.mine()).toEqual([]);
    await expect.poll(async () => (await sweep(published, { claimMs: 1 }), published.mine().length)).toBe(1);
    await expect.poll(async () => (await sweep(published, { claimMs: 1 }), published.mine().length)).toBe(2);
    expect(new Set(published.mine().map(({ headers }) => headers['message-id'])).size).toBe(1);
  });

  it('leaves a version alone of which something was heard since the sweep looked', async () => {
    await workshop.batch([await workshop.submit('d', 'x')]);
    await fullPass();
    const published = new Publications();
    await sweep(published);
    await workshop.batch([workshop.command({ kind: 'chunked', document_id: 'd', version: 1, packs: 2, chunks: 65 })]);
    expect(await workshop.batch(published.mine())).toEqual([{ outputs: [] }]);
  });

  it('purges what was replaced, once it is due, and asks again for a purge that does not end', async () => {
    await workshop.run([await workshop.submit('d', 'one')]);
    await workshop.run([await workshop.submit('d', 'two')]);
    const published = new Publications();
    await sweep(published, { purgeAfterMs: 3_600_000 });
    expect(published.mine()).toEqual([]);
    await expect.poll(async () => (await sweep(published), published.mine().length)).toBe(1);
    const due = published.mine();
    expect(due).toMatchObject([{ value: { kind: 'purge-due', version: 1 } }]);
    // The purge is asked for, and its answer is lost.
    await workshop.batch(due);
    await fullPass();
    const again = new Publications();
    await sweep(again);
    expect(again.mine()).toMatchObject([{ value: { kind: 'purge-due', version: 1 } }]);
    await workshop.run(again.mine());
    expect(await workshop.catalog.documents({ workspace: workshop.workspace, limit: 10 })).toMatchObject({
      items: [{ live: { version: 2 } }],
    });
    expect(await workshop.blobs()).toHaveLength(4);
  });

  it('that only looks claims and asks for nothing', async () => {
    await workshop.batch([await workshop.submit('d', 'x')]);
    await fullPass();
    const published = new Publications();
    expect((await sweep(published, { dryRun: true })).redriven).toBeGreaterThan(0);
    expect(published.commands).toEqual([]);
    await sweep(published);
    expect(published.mine()).toHaveLength(1);
  });
});

describe('the sweep of uploads', () => {
  it('removes only old ones that no version refers to', async () => {
    await workshop.run([await workshop.submit('d', 'kept')]);
    const orphan = await workshop.submit('never published', 'lost');
    const young = new Date(Date.now() - 60_000);
    expect(await sweepUploads(ports(), young)).toBe(0);
    await makeOld(stores.folder);
    expect(await sweepUploads(ports(), young)).toBeGreaterThanOrEqual(1);
    const sources = (await workshop.blobs()).filter((key) => key.includes('/sources/'));
    expect(sources).toHaveLength(1);
    expect(sources[0]).not.toContain(orphan.value.upload_id);
  });
});

async function makeOld(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), 1_000, 1_000);
  }
}

describe('the sweeper', () => {
  it('sweeps at its interval until it is stopped, and stops after the sweep that runs', async () => {
    await workshop.batch([await workshop.submit('d', 'x')]);
    await readEverything();
    const published = new Publications();
    const sweeper = startSweeper({
      ports: ports(),
      publisher: published,
      config: { ...Value.Create(sweeperConfig), intervalMs: 10, stalledAfterMs: 0 },
      log: pino({ level: 'silent' }),
    });
    await expect.poll(() => published.mine().length).toBe(1);
    let ended = false;
    const running = sweeper.sweepNow().then(() => {
      ended = true;
    });
    await sweeper.stop();
    expect(ended).toBe(true);
    await running;
  });
});
