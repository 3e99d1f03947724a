import { randomBytes, randomUUID } from 'node:crypto';
import { Value } from '@sinclair/typebox/value';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registryCodec } from '../../schema/registry/registry.js';
import { registryConfig } from '../../schema/registry/registry-config.js';
import { topics, type Topic } from '../../schema/topics.js';
import { partitionOf } from '../../services/ports/bus/partitioner.js';
import { createKafkaBus, type KafkaBus } from '../../services/ports/bus/kafka/kafka-bus.js';
import { kafkaConfig } from '../../services/ports/bus/kafka/kafka-config.js';
import type { OutgoingRecord } from '../../services/ports/bus/port.js';
import { pipeline } from '../../services/pipeline.js';
import { deadLetterTopic } from '../../services/runtime/delivery/dead-letter.js';
import { createPublisher } from '../../services/runtime/delivery/publisher.js';
import { startProcessor, type RunningProcessor } from '../../services/runtime/delivery/start-processor.js';
import { topicSettings } from '../../services/runtime/delivery/topic-settings.js';
import { output, type AnyProcessor } from '../../services/runtime/processor.js';
import { startDeployment } from '../journeys/deployment.js';
import { collect, fast, idleLedger, noPorts, purge, purgeProcessor } from '../services/runtime/delivery/harness.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { startServers } from '../stack/servers.js';

const servers = await startOrSkip('the servers', startServers);
afterAll(() => servers?.stop());

const partitions = 4;
const defaults = { partitions, retentionMs: 86_400_000, requestRetentionMs: 60_000 };
const eventually = (assertions: () => void | Promise<void>) =>
  vi.waitFor(assertions, { timeout: 40_000, interval: 50 });

/** A key of each partition. */
const keys = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, partition) => {
    for (let n = 0; ; n++) if (partitionOf(`poison-${n}`, count) === partition) return `poison-${n}`;
  });

if (servers !== undefined) {
  const codec = registryCodec({ ...Value.Create(registryConfig), url: servers.registry.url });
  const open = (topicPrefix: string): KafkaBus =>
    createKafkaBus({ ...Value.Create(kafkaConfig), brokers: [servers.kafka.url], topicPrefix });

  /** Bytes framed as by a producer of another system, whose schema stands in the same registry. */
  async function foreign(): Promise<Buffer> {
    const schema = { type: 'record', name: 'Order', fields: [{ name: 'amount', type: 'double' }] };
    const response = await fetch(`${servers?.registry.url}/subjects/shop.Order/versions`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify({ schema: JSON.stringify(schema), schemaType: 'AVRO' }),
    });
    const { id } = (await response.json()) as { id: number };
    const bytes = Buffer.alloc(5 + 8);
    bytes.writeInt32BE(id, 1);
    bytes.writeDoubleLE(12.5, 5);
    return bytes;
  }

  /** Bytes that no processor can read, by what is wrong with them. */
  async function poisons(): Promise<ReadonlyMap<string, Buffer>> {
    await codec.prepare();
    const good = codec.encode('Purge', purge('cut').value);
    return new Map([
      ['nothing', Buffer.alloc(0)],
      ['one byte', Buffer.from([0])],
      ['random bytes', randomBytes(500)],
      ['random bytes behind the magic byte', Buffer.concat([Buffer.from([0]), randomBytes(500)])],
      ['a header alone', good.subarray(0, 5)],
      ['half of a message', good.subarray(0, 5 + ((good.length - 5) >> 1))],
      ['a message without its last byte', good.subarray(0, -1)],
      ['a foreign schema', await foreign()],
    ]);
  }

  describe('a processor on Kafka', () => {
    let bus: KafkaBus;
    let running: RunningProcessor | undefined;
    beforeEach(async () => {
      bus = open(`poison-${randomUUID()}.`);
      await codec.prepare();
      await bus.ensureTopics(topicSettings([purgeProcessor(() => Promise.resolve([]))], defaults));
    });
    afterEach(async () => {
      await running?.stop(0);
      await bus.close();
    });
    const start = async (processor: AnyProcessor): Promise<void> => {
      running = await startProcessor(processor, {
        ...{ bus, codec, ports: noPorts, config: {}, log: pino({ level: 'silent' }), registry: new Registry() },
        ...{ ledger: idleLedger, settings: fast },
        onFatal: (error) => expect.fail(`the consumer gave up: ${error.message}`),
      });
    };
    const letters = () => collect(bus, deadLetterTopic('purges', 'subject'));
    const publish = (documents: readonly string[]) =>
      createPublisher({ bus, codec }).publish(documents.map((document) => purge(document)));

    it('buries bytes that nobody can read, as they are, and reads on', async () => {
      const handled: string[] = [];
      await start(
        purgeProcessor(({ value }) => {
          handled.push(value.document_id);
          return Promise.resolve([]);
        }),
      );
      const given = await poisons();
      const records = [...given].flatMap(([what, value]) =>
        keys(partitions).map((key): OutgoingRecord => ({ topic: 'purges', key, value, headers: { what } })),
      );
      await publish(keys(partitions));
      await bus.publish(records);
      await publish(keys(partitions));
      await eventually(async () => {
        expect(handled).toHaveLength(2 * partitions);
        expect(await letters()).toHaveLength(records.length);
      });
      for (const { key, value, headers } of await letters()) {
        expect(value).toEqual(given.get(headers['what'] ?? ''));
        expect(keys(partitions)).toContain(key);
        expect(headers).toMatchObject({
          'error-code': 'undecodable',
          attempts: '1',
          'original-topic': 'purges',
          'original-partition': String(partitionOf(key ?? '', partitions)),
          processor: 'subject',
        });
        expect(headers['error-message']).toMatch(/\w/);
      }
    });

    it('buries what its handler throws over, whatever that is, after five attempts, and goes on', async () => {
      const thrown = new Map<string, unknown>([
        ['Error', new Error('plain')],
        ['EvalError', new EvalError('eval')],
        ['RangeError', new RangeError('range')],
        ['ReferenceError', new ReferenceError('reference')],
        ['SyntaxError', new SyntaxError('syntax')],
        ['TypeError', new TypeError('type')],
        ['URIError', new URIError('uri')],
        ['AggregateError', new AggregateError([new Error('inner')], 'aggregate')],
        ['DOMException', new DOMException('dom', 'AbortError')],
        ['a frozen error', Object.freeze(new Error('frozen'))],
        ['a string', 'a string'],
        ['undefined', undefined],
        ['null', null],
        ['an object without text', Object.create(null)],
      ]);
      const handled: string[] = [];
      await start(
        purgeProcessor(({ value }) => {
          if (thrown.has(value.document_id)) throw thrown.get(value.document_id);
          handled.push(value.document_id);
          return Promise.resolve([]);
        }),
      );
      const others = keys(partitions);
      await publish([...thrown.keys(), ...others]);
      await eventually(async () => {
        expect([...handled].sort()).toEqual([...others].sort());
        expect(await letters()).toHaveLength(thrown.size);
      });
      for (const { key, value, headers } of await letters()) {
        expect(value).toEqual(codec.encode('Purge', purge(key ?? '').value));
        expect(headers).toMatchObject({ 'error-code': 'internal', attempts: '5' });
        const given = thrown.get(key ?? '');
        if (given instanceof Error) expect(headers['error-message']).toBe(given.message);
      }
    });

    it('tells the producer of 20 MB that they are too large, and takes what comes after', async () => {
      const value = Buffer.alloc(20_000_000, 'x');
      await expect(bus.publish([{ topic: 'purges', key: 'big', value, headers: {} }])).rejects.toMatchObject({
        code: 'too-large',
        message: expect.stringMatching(/a message of 20\d+ bytes is over the limit of topic "purges"/) as string,
      });
      const big = output(topics.documentCommands, {
        ...{ kind: 'submit', workspace: 'w', collection: 'c', document_id: 'd', title: 'x'.repeat(20_000_000) },
      });
      const handled: string[] = [];
      await start(
        purgeProcessor(({ value: { document_id } }) => {
          handled.push(document_id);
          return Promise.resolve(document_id === 'big' ? [big] : []);
        }),
      );
      await publish(['big', 'small']);
      await eventually(async () => {
        expect(handled).toContain('small');
        expect(await letters()).toHaveLength(1);
      });
      expect((await letters())[0]?.headers).toMatchObject({ 'error-code': 'too-large' });
    });
  });

  describe('a deployment with poison in every queue', () => {
    it('takes documents in as ever, and keeps the poison for whoever looks', { timeout: 120_000 }, async () => {
      const deployment = await startDeployment(servers, { worker: ['all'], gateway: ['gateway'] });
      const bus = open(deployment.environment['SLUICE_KAFKA_TOPIC_PREFIX'] ?? '');
      try {
        const { client } = deployment;
        const stages = pipeline.filter(({ input }) => input.class === 'log');
        const inputs = new Set<Topic>(stages.map(({ input }) => input));
        const given = [...(await poisons()).values()];
        for (const { name } of inputs) {
          await bus.publish(
            keys(12).flatMap((key) =>
              given.map((value) => ({ topic: name, key, value, headers: { workspace: 'default' } })),
            ),
          );
        }
        const done = await client.ingestDocument({
          ...{ collection: 'default', document_id: 'pump', content_type: 'text/markdown' },
          body: '# Pump\n\nOpen the inlet valve fully before starting the pump.\n',
        });
        expect(done).toMatchObject({ state: 'ready', version: 1 });
        const { hits } = await client.search({ query: 'inlet valve' });
        expect(hits[0]).toMatchObject({ document_id: 'pump' });
        const expected = stages.length * 12 * given.length;
        await eventually(async () => expect((await client.status()).dead_letters).toBe(expected));
        for (const { process } of deployment.processes.values()) expect(process.exitCode).toBeNull();
      } finally {
        await bus.close();
        await deployment.stop();
      }
    });
  });
}
