import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { gatewayConfig, type GatewayConfig } from '../../gateway/config.js';
import { createGateway, type Gateway } from '../../gateway/gateway.js';
import { singleObjectCodec } from '../../schema/single-object.js';
import { topics, type MessageOf, type Topic } from '../../schema/topics.js';
import { createFilesystemBlobStore } from '../../services/ports/blob-store/filesystem/filesystem.js';
import { createEmbeddedBus } from '../../services/ports/bus/embedded/embedded-bus.js';
import type { BusRecord } from '../../services/ports/bus/port.js';
import { createPgliteCatalog } from '../../services/ports/catalog/pglite/pglite-catalog.js';
import type { EmbeddingModel, EmbeddingModels } from '../../services/ports/embedding-model/port.js';
import type { LanguageModel } from '../../services/ports/language-model/port.js';
import type { Ports } from '../../services/ports/ports.js';
import type { VectorStore } from '../../services/ports/vector-store/port.js';
import { createPublisher, type Publisher } from '../../services/runtime/delivery/publisher.js';
import type { FullCatalog } from '../contracts/catalog-fixture.js';

const unused = (): never => {
  throw new Error('the gateway must not call this');
};

export const space = { id: 's', model: 'stub', dimensions: 3 };

/** Ports that the gateway hardly uses; what it must not call throws. */
const embeddingModel: EmbeddingModel = {
  space,
  fusion: { method: 'relative', denseWeight: 0.3 },
  maxBatch: 1,
  embedPassages: unused,
  windows: unused,
  embedQuery: unused,
  close: () => Promise.resolve(),
};
const embeddingModels: EmbeddingModels = {
  default: embeddingModel,
  all: [embeddingModel],
  ofSpace: () => embeddingModel,
  close: () => Promise.resolve(),
};
const languageModel: LanguageModel = {
  name: 'stub-writer',
  contextWindow: 1_000,
  countTokens: unused,
  generate: unused,
  close: () => Promise.resolve(),
};
const vectorStore: VectorStore = {
  upsert: unused,
  searchVector: unused,
  searchTerms: unused,
  vectors: unused,
  setAttributes: unused,
  delete: unused,
  count: () => Promise.resolve(7),
  scan: unused,
  installationId: unused,
  markInstallation: unused,
  close: () => Promise.resolve(),
};

type Heard<T extends Topic> = { readonly value: MessageOf<T>; readonly headers: BusRecord['headers'] };

export interface TestBed {
  readonly ports: Ports & { readonly catalog: FullCatalog };
  readonly publisher: Publisher;
  /** A gateway of its own on these ports; closed with the bed. */
  gateway(config?: Partial<GatewayConfig>): Promise<Gateway>;
  /** Acts as the processor of a topic: hears what comes from now on. */
  hear<T extends Topic>(topic: T, listen: (heard: Heard<T>) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

let hearers = 0;

/** The engines of the embedded server in a temporary folder: bus, catalog and blob store are real. */
export async function openTestBed(): Promise<TestBed> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-gateway-'));
  const bus = await createEmbeddedBus({ folder: join(folder, 'bus') });
  const blobStore = await createFilesystemBlobStore({ folder: join(folder, 'blobs') });
  const catalog = await createPgliteCatalog({ folder: join(folder, 'catalog') });
  await bus.ensureTopics(
    Object.values(topics).map((topic) => ({
      name: topic.name,
      class: topic.class,
      partitions: 2,
      retentionMs: 3_600_000,
    })),
  );
  const ports = {
    bus,
    blobStore,
    catalog,
    librarianStore: catalog,
    vectorStore,
    embeddingModels,
    languageModel,
    reranker: undefined,
  };
  const codec = singleObjectCodec();
  await codec.prepare();
  const publisher = createPublisher({ bus, codec });
  const gateways: Gateway[] = [];
  return {
    ports,
    publisher,
    async gateway(config = {}) {
      const gateway = await createGateway({
        ports,
        publisher,
        codec,
        recovery: { sweep: unused, removeOrphans: unused },
        config: { ...Value.Create(gatewayConfig), port: 0, ...config },
        log: pino({ level: 'silent' }),
        registry: new Registry(),
        health: [],
        version: '0.0.0-test',
      });
      gateways.push(gateway);
      return gateway;
    },
    async hear(topic, listen) {
      const consumer = await bus.consume(
        { group: `test-${hearers++}`, topics: [topic.name], from: 'end' },
        {
          assigned: () => undefined,
          revoked: () => undefined,
          fatal: unused,
          records: (_partition, records) => {
            for (const { value, headers } of records) {
              void Promise.resolve(codec.decode(topic.message, value)).then((decoded) => {
                listen({ value: decoded as MessageOf<typeof topic>, headers });
              });
            }
          },
        },
      );
      return () => consumer.close();
    },
    async close() {
      for (const gateway of gateways) await gateway.close();
      await catalog.close();
      await blobStore.close();
      await bus.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
