import { setTimeout as after } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { SluiceClient } from '../../gateway/client/client.js';
import { createGateway } from '../../gateway/gateway.js';
import { singleObjectCodec } from '../../schema/single-object.js';
import { embedder } from '../../services/embedder/embedder.js';
import { createRecovery } from '../../services/librarian/recovery.js';
import { startSweeper } from '../../services/librarian/sweeper.js';
import { pipeline } from '../../services/pipeline.js';
import { ensureInstallation } from '../../services/ports/installation.js';
import { openPorts } from '../../services/ports/wire.js';
import { runPipeline } from '../../services/run-pipeline.js';
import { createPublisher } from '../../services/runtime/delivery/publisher.js';
import { createLogger } from '../../services/runtime/log.js';
import { topicSettings } from '../../services/runtime/delivery/topic-settings.js';
import { createMetrics } from '../../services/runtime/metrics.js';
import { portSettings, readConfiguration } from '../../services/settings.js';
import { allReady, send } from '../bench/load.js';
import { withFolder } from '../journeys/server.js';
import { smallDocuments } from './made-documents.js';

const count = Number(process.env['LONG_TEST_SHARE'] ?? 1) * 2000;
const stalledAfterMs = 5_000;

/** A server whose embedder is not there until it is started, with two sweepers. */
async function startWithoutEmbedder(folder: string) {
  const configuration = readConfiguration({
    env: {
      SLUICE_LOG_LEVEL: 'error',
      SLUICE_SWEEPER_STALLED_AFTER_MS: String(stalledAfterMs),
      SLUICE_SWEEPER_INTERVAL_MS: '500',
    },
    data: folder,
    port: 0,
  });
  const section = configuration.section.bind(configuration);
  const ports = await openPorts(portSettings(configuration));
  const log = createLogger(section('log'));
  const [registry, codec] = [createMetrics(), singleObjectCodec()];
  const onFatal = (error: Error): void => {
    throw error;
  };
  await ensureInstallation(ports);
  await codec.prepare();
  await ports.bus.ensureTopics(topicSettings(pipeline, section('bus')));
  const run = (processors: typeof pipeline) =>
    runPipeline(processors, {
      ...{ ports, codec, log, registry, onFatal },
      configOf: ({ name }) => section(name as 'storage'),
    });
  const running = [await run(pipeline.filter(({ name }) => name !== embedder.name))];
  const publisher = createPublisher({ bus: ports.bus, codec });
  const sweeping = { ports, publisher, config: section('sweeper'), log };
  const sweepers = [startSweeper(sweeping), startSweeper(sweeping)];
  const gateway = await createGateway({
    ...{ ports, publisher, codec, log, registry, onFatal, version: 'test', config: section('gateway'), health: [] },
    recovery: createRecovery(ports, publisher, section('sweeper')),
  });
  const client = new SluiceClient({ url: (await gateway.listen()).url });
  return {
    client,
    startEmbedder: async () => running.push(await run([embedder])),
    async stop() {
      await client.close();
      await gateway.close();
      for (const sweeper of sweepers) await sweeper.stop();
      for (const part of running) await part.stop(10_000);
      await ports.close();
    },
  };
}

it(`fails none of ${count} documents that wait for an embedder through three stalled periods`, async () => {
  await withFolder(async (folder) => {
    const { client, startEmbedder, stop } = await startWithoutEmbedder(folder);
    await client.createCollection({ collection: 'queue' });
    await send(client, 'queue', smallDocuments(count));
    await vi.waitFor(
      async () => expect((await client.status()).documents).toMatchObject({ pending: 0, processing: count }),
      { timeout: 600_000, interval: 1_000 },
    );
    await after(3.5 * stalledAfterMs); // time itself is what is tried here
    expect((await client.status()).documents).toMatchObject({ processing: count, failed: 0, ready: 0 });
    await startEmbedder();
    await allReady(client);
    const { documents, chunks, vectors, dead_letters } = await client.status();
    expect({ documents, dead_letters }).toMatchObject({ documents: { ready: count, failed: 0 }, dead_letters: 0 });
    expect(vectors).toBe(chunks);
    await stop();
  });
});
