import { Type, type Static } from '@sinclair/typebox';
import type { registryConfig } from '../../schema/registry/registry-config.js';
import type { s3Config } from './blob-store/s3/s3-config.js';
import type { kafkaConfig } from './bus/kafka/kafka-config.js';
import type { postgresConfig } from './catalog/postgres/postgres-config.js';
import type { qdrantConfig } from './vector-store/qdrant/qdrant-config.js';
import type { ModelSettings } from './wire-models.js';

export const adaptersConfig = Type.Object({
  bus: Type.Union([Type.Literal('embedded'), Type.Literal('kafka')], {
    description: 'What carries messages: embedded (LMDB in the data folder) or kafka.',
    default: 'embedded',
  }),
  catalog: Type.Union([Type.Literal('pglite'), Type.Literal('postgres')], {
    description: 'What keeps states: pglite (PostgreSQL in this process and the data folder) or postgres.',
    default: 'pglite',
  }),
  blobStore: Type.Union([Type.Literal('filesystem'), Type.Literal('s3')], {
    description: 'What keeps bytes and texts: filesystem (the data folder) or s3.',
    default: 'filesystem',
  }),
  vectorStore: Type.Union([Type.Literal('lancedb'), Type.Literal('qdrant')], {
    description: 'What keeps and searches vectors and terms: lancedb (in the data folder) or qdrant.',
    default: 'lancedb',
  }),
});

export const storageConfig = Type.Object({
  folder: Type.String({
    description: 'The folder that holds everything that the embedded engines keep. One process at a time owns it.',
    default: './.sluice',
    minLength: 1,
  }),
});

/** The sections of the configuration that choose and set up adapters. */
export interface PortSettings extends ModelSettings {
  readonly adapters: Static<typeof adaptersConfig>;
  readonly storage: Static<typeof storageConfig>;
  readonly kafka: Static<typeof kafkaConfig>;
  readonly registry: Static<typeof registryConfig>;
  readonly postgres: Static<typeof postgresConfig>;
  readonly s3: Static<typeof s3Config>;
  readonly qdrant: Static<typeof qdrantConfig>;
}

const ownFolder: Readonly<Record<string, string>> = {
  bus: 'embedded',
  catalog: 'pglite',
  blobStore: 'filesystem',
  vectorStore: 'lancedb',
};

/** The ports whose adapters keep their data in the data folder, which one process owns. */
export const embeddedPorts = (adapters: PortSettings['adapters']): readonly string[] =>
  Object.entries(adapters).flatMap(([port, adapter]) => (ownFolder[port] === adapter ? [port] : []));
