import { createHash } from 'node:crypto';
import { Value } from '@sinclair/typebox/value';
import { afterAll, expect, it, vi } from 'vitest';
import { registryConfig } from '../../schema/registry/registry-config.js';
import { registryCodec } from '../../schema/registry/registry.js';
import { topics } from '../../schema/topics.js';
import { createKafkaBus } from '../../services/ports/bus/kafka/kafka-bus.js';
import { kafkaConfig } from '../../services/ports/bus/kafka/kafka-config.js';
import { createPublisher } from '../../services/runtime/delivery/publisher.js';
import { output } from '../../services/runtime/processor.js';
import { alternating } from '../journeys/alternating.js';
import { startDeployment, type Deployment, type Layout } from '../journeys/deployment.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { startServers } from '../stack/servers.js';
import { keepLoading } from './keep-loading.js';
import { newCommand, nextRelease, recordedRelease, type Release } from './releases.js';

const earlier = await startOrSkip('the release that schema/released records', recordedRelease);
afterAll(() => earlier?.remove());
const servers = earlier === undefined ? undefined : await startOrSkip('the servers', startServers);
afterAll(() => servers?.stop());

/** Two of each processor, so that each group has members of both releases, and each partition changes hands. */
const layout: Layout = {
  ...{ 'worker-1': ['all'], 'worker-2': ['all'] },
  ...{ 'gateway-1': ['gateway'], 'gateway-2': ['gateway'] },
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const eventually = (assertions: () => Promise<void>) => vi.waitFor(assertions, { timeout: 60_000, interval: 500 });

/** Contents of the documents that are ready, by id. */
async function readyDocuments({ client }: Deployment): Promise<Record<string, string>> {
  const ready: Record<string, string> = {};
  for await (const { document_id: id, state, live } of client.listDocuments({ limit: 500 })) {
    if (state === 'ready') ready[id] = live?.content_hash ?? '';
  }
  return ready;
}

if (earlier !== undefined && servers !== undefined) {
  it(
    `mixes release ${earlier.version} with the next one, takes it back, and loses nothing`,
    { timeout: 240_000 },
    async () => {
      const next = await nextRelease();
      const builds = new Map<string, Release>();
      const deployment = await startDeployment(servers, layout, {}, (name) => (builds.get(name) ?? earlier).program);
      const { client, environment, processes } = deployment;
      const bus = createKafkaBus({
        ...Value.Create(kafkaConfig),
        brokers: [servers.kafka.url],
        topicPrefix: environment['SLUICE_KAFKA_TOPIC_PREFIX'] ?? '',
      });
      const codec = registryCodec({ ...Value.Create(registryConfig), url: servers.registry.url });
      const forget = async (ids: readonly string[]): Promise<void> => {
        const at = { kind: newCommand, workspace: 'default', collection: 'default' };
        await createPublisher({ bus, codec }).publish(
          ids.map((document_id) => output(topics.documentCommands, { ...at, document_id })),
        );
      };
      const change = async (names: readonly string[], release: Release): Promise<void> => {
        for (const name of names) builds.set(name, release);
        const codes = await Promise.all(names.map(async (name) => (await deployment.restart(name)).exitCode));
        expect(codes).toEqual(names.map(() => 0));
      };
      const loading = keepLoading(alternating(deployment.clients), { pauseMs: 250 });
      /** Resolves when documents that were put from now on are ready. */
      const progress = async (): Promise<void> => {
        const before = loading.put.size;
        await loading.during(
          eventually(async () => {
            const later = [...loading.put.keys()].slice(before, before + 10);
            expect(later).toHaveLength(10);
            const ready = await readyDocuments(deployment);
            expect(later.filter((id) => !(id in ready))).toEqual([]);
          }),
        );
      };
      try {
        await codec.prepare();
        await progress();
        const doomed = [...loading.put.keys()].slice(0, 12);
        await eventually(async () =>
          expect(Object.keys(await readyDocuments(deployment))).toEqual(expect.arrayContaining(doomed)),
        );
        const [last = ''] = doomed;

        await change(['worker-2', 'gateway-2'], next);
        await forget(doomed.slice(6));
        await progress();

        await change(['worker-2', 'gateway-2'], earlier);
        await forget(doomed.slice(0, 6));
        await client.putDocument({ collection: 'default', document_id: last, body: 'Once more.' });
        await progress();
        // Nobody knows the command now: it waits, and what comes after it of the same document.
        const retries = await Promise.all([...processes.values()].map((process) => process.retried('librarian')));
        expect(Math.max(...retries)).toBeGreaterThan(0);
        const waiting = await readyDocuments(deployment);
        expect(doomed.slice(0, 6).filter((id) => !(id in waiting))).toEqual([]);
        expect(waiting[last]).not.toBe(sha256('Once more.'));
        expect((await client.status()).dead_letters).toBe(0);

        await change(['worker-1', 'worker-2'], next);
        const put = await loading.stop();
        const expected = new Map([...put].filter(([id]) => !doomed.includes(id)).concat([[last, 'Once more.']]));
        await eventually(async () => {
          expect(await readyDocuments(deployment)).toEqual(
            Object.fromEntries([...expected].map(([id, body]) => [id, sha256(body)])),
          );
        });
        await eventually(async () => {
          const status = await client.status();
          expect(status).toMatchObject({ documents: { ready: expected.size, failed: 0 }, dead_letters: 0 });
          expect(status.documents.pending + status.documents.processing).toBe(0);
          expect(status.vectors).toBe(status.chunks);
        });
        const versions = await fetch(`${servers.registry.url}/subjects/sluice.DocumentCommand/versions`);
        expect(((await versions.json()) as unknown[]).length).toBeGreaterThanOrEqual(2);
        process.stderr.write(`mixed releases: ${put.size} documents were put, ${doomed.length} forgotten\n`);
      } finally {
        await Promise.allSettled([loading.stop(), bus.close(), deployment.stop()]); // what failed before is told, not this
        await next.remove();
      }
    },
  );
}
