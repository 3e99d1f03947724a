import { setTimeout as delay } from 'node:timers/promises';
import { Value } from '@sinclair/typebox/value';
import { afterAll, expect, it } from 'vitest';
import { createKafkaBus } from '../../services/ports/bus/kafka/kafka-bus.js';
import { kafkaConfig } from '../../services/ports/bus/kafka/kafka-config.js';
import { processesPerWorker, startDeployment, type Deployment } from '../journeys/deployment.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { startServers } from '../stack/servers.js';
import { allReady } from '../bench/load.js';
import { collect } from '../services/runtime/delivery/harness.js';
import { expectLater, keepLoading } from './keep-loading.js';

const servers = await startOrSkip('the servers', startServers);
afterAll(() => servers?.stop());

const answersWithinMs = 90_000;

/** Asks one question after the other until told to stop; each must come to an end, and an error must say "later". */
function keepAsking({ client }: Deployment) {
  const counts = { answered: 0, refused: 0 };
  const stopping = new AbortController();
  const asking = (async () => {
    while (!stopping.signal.aborted) {
      const signal = AbortSignal.timeout(answersWithinMs);
      try {
        const { answer } = await client.answer({ question: 'How do I register a plugin?' }, { signal });
        expect(answer).not.toBe('');
        counts.answered += 1;
      } catch (error) {
        expectLater(error);
        counts.refused += 1;
        await delay(100);
      }
    }
    return counts;
  })();
  asking.catch(() => undefined); // it is heard when it is stopped
  return {
    counts,
    stop: () => {
      stopping.abort();
      return asking;
    },
  };
}

if (servers !== undefined) {
  it(
    'restarts worker by worker under load, and neither a document nor a question notices',
    { timeout: 240_000 },
    async () => {
      const deployment = await startDeployment(servers, processesPerWorker(1));
      const bus = createKafkaBus({
        ...Value.Create(kafkaConfig),
        brokers: [servers.kafka.url],
        topicPrefix: deployment.environment['SLUICE_KAFKA_TOPIC_PREFIX'] ?? '',
      });
      try {
        const loading = keepLoading(deployment.client);
        const askers = [keepAsking(deployment), keepAsking(deployment)];
        const names = [...deployment.processes.keys()];
        const codes: Record<string, number | null> = {};
        for (const name of names) {
          const { exitCode } = await deployment.restart(name);
          codes[name] = exitCode;
        }
        expect(codes).toEqual(Object.fromEntries(names.map((name) => [name, 0])));

        const documents = (await loading.stop()).size;
        const asked = await Promise.all(askers.map(({ stop }) => stop()));
        await allReady(deployment.client);
        const status = await deployment.client.status();
        expect(status).toMatchObject({ documents: { ready: documents, failed: 0 }, dead_letters: 0 });
        expect(status.vectors).toBe(status.chunks);
        for (const { answered } of asked) expect(answered).toBeGreaterThan(0);

        // A message keeps its id when its cause is handled again: what is there twice was made twice.
        const redone: Record<string, number> = {};
        for (const topic of ['documents-decoded', 'chunks-created', 'chunks-embedded']) {
          const ids = (await collect(bus, topic)).map(({ headers }) => headers['message-id']);
          expect(ids.length).toBeGreaterThan(0);
          redone[topic] = ids.length - new Set(ids).size;
        }
        process.stderr.write(`restarted under load: ${JSON.stringify({ documents, asked, redone })}\n`);
        expect(redone).toEqual({ 'documents-decoded': 0, 'chunks-created': 0, 'chunks-embedded': 0 });
      } finally {
        await bus.close();
        await deployment.stop();
      }
    },
  );
}
