import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka, type KafkaServer } from './kafka.js';
import type { RealServer } from './real-server.js';
import { startPostgres } from './postgres.js';
import { startQdrant } from './qdrant.js';
import { startRegistry } from './registry.js';
import { s3Credentials, startS3 } from './s3.js';

/** Every server that the distributed run needs, and the settings that lead there. */
export interface Servers {
  readonly kafka: KafkaServer;
  readonly registry: RealServer;
  readonly s3: RealServer;
  readonly postgres: RealServer;
  readonly qdrant: RealServer;
  /** `SLUICE_*` variables of a process that is to work on these servers. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * Starts all of them, in containers or each with its data in a temporary folder; if one cannot be had, those that run are
 * stopped.
 */
export async function startServers(): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-servers-'));
  const running: RealServer[] = [];
  const stop = async (): Promise<void> => {
    for (const server of running.splice(0).reverse()) await server.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  const start = async <T extends RealServer>(name: string, begin: (data: string) => Promise<T>): Promise<T> => {
    const server = await begin(join(folder, name));
    running.push(server);
    return server;
  };
  try {
    const kafka = await start('kafka', startKafka);
    const registry = await start('registry', startRegistry);
    const s3 = await start('s3', startS3);
    const postgres = await start('postgres', startPostgres);
    const qdrant = await start('qdrant', (data) => startQdrant(data));
    const environment = {
      SLUICE_ADAPTERS_BUS: 'kafka',
      SLUICE_ADAPTERS_CATALOG: 'postgres',
      SLUICE_ADAPTERS_BLOB_STORE: 's3',
      SLUICE_ADAPTERS_VECTOR_STORE: 'qdrant',
      SLUICE_KAFKA_BROKERS: JSON.stringify([kafka.url]),
      SLUICE_REGISTRY_URL: registry.url,
      SLUICE_POSTGRES_URL: postgres.url,
      SLUICE_S3_ENDPOINT: s3.url,
      SLUICE_S3_ACCESS_KEY_ID: s3Credentials.accessKeyId,
      SLUICE_S3_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
      SLUICE_S3_REGION: s3Credentials.region,
      SLUICE_S3_CREATE_BUCKET: 'true',
      SLUICE_QDRANT_URL: qdrant.url,
    };
    return { kafka, registry, s3, postgres, qdrant, environment, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
