import { Type } from '@sinclair/typebox';
import { gatewayConfig } from '../gateway/config.js';
import { registryConfig } from '../schema/registry/registry-config.js';
import { sweeperConfig } from './librarian/sweeper.js';
import { pipeline } from './pipeline.js';
import { s3Config } from './ports/blob-store/s3/s3-config.js';
import { kafkaConfig } from './ports/bus/kafka/kafka-config.js';
import { postgresConfig } from './ports/catalog/postgres/postgres-config.js';
import { onnxConfig } from './ports/embedding-model/onnx/onnx-config.js';
import { adaptersConfig, storageConfig } from './ports/port-settings.js';
import { qdrantConfig } from './ports/vector-store/qdrant/qdrant-config.js';
import { embeddingConfig, extractiveConfig, languageConfig } from './ports/wire-models.js';
import type { Sections } from './runtime/configuration/fields.js';
import { logConfig } from './runtime/log.js';

const day = 86_400_000;

const busConfig = Type.Object({
  partitions: Type.Integer({
    description: 'Partitions of each topic: how many workers of one processor can share the work.',
    default: 12,
    minimum: 1,
    maximum: 10_000,
  }),
  retentionMs: Type.Integer({
    description: 'How long the records of log topics are kept. Unread ones are never removed by the embedded bus.',
    default: 30 * day,
    minimum: 60_000,
  }),
  requestRetentionMs: Type.Integer({
    description: 'How long requests and replies are kept.',
    default: 600_000,
    minimum: 60_000,
  }),
});

const serverConfig = Type.Object({
  graceMs: Type.Integer({
    description: 'How long work in progress may go on after the order to stop.',
    default: 10_000,
    minimum: 0,
  }),
});

const workerConfig = Type.Object({
  host: Type.String({
    description: 'Where a worker without a gateway answers about its health and figures.',
    default: '127.0.0.1',
  }),
  port: Type.Integer({ description: 'Its port; 0: a free one.', default: 7301, minimum: 0, maximum: 65_535 }),
});

/** Every section of the configuration, for the server, `sluice config` and the reference in the documentation. */
export const allSections = () =>
  ({
    adapters: adaptersConfig,
    storage: storageConfig,
    gateway: gatewayConfig,
    log: logConfig,
    server: serverConfig,
    worker: workerConfig,
    bus: busConfig,
    kafka: kafkaConfig,
    registry: registryConfig,
    postgres: postgresConfig,
    s3: s3Config,
    qdrant: qdrantConfig,
    embedding: embeddingConfig,
    onnx: onnxConfig,
    language: languageConfig,
    extractive: extractiveConfig,
    sweeper: sweeperConfig,
    ...(Object.fromEntries(pipeline.map(({ name, config }) => [name, config])) as Sections),
  }) as const satisfies Sections;

/** Variables of the client and the command line, which may stand in the server's environment too. */
export const clientVariables = ['SLUICE_URL', 'SLUICE_API_KEY', 'SLUICE_WORKSPACE', 'SLUICE_DATA'] as const;
