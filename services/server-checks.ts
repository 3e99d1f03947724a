import { checked, type Check } from './check.js';
import { installationCheck, type FoundMarks } from './installation-check.js';
import { pipeline } from './pipeline.js';
import { installationKey } from './ports/blob-store/keys.js';
import type { PortSettings } from './ports/port-settings.js';
import { inspectPostgres, openCodec, openKafka, openQdrant, openS3 } from './ports/wire.js';
import { topicSettings, type TopicDefaults } from './runtime/delivery/topic-settings.js';
import { SluiceError } from './domain/errors.js';
import { schemas } from '../schema/generated.js';
import { registryVersion } from '../schema/registry/registry-version.js';

const oldestPostgres = 15;
/** A check tells what is so now, and soon: requests are not tried again, nor waited for as long as work would. */
const requestMs = 5_000;

/** What each chosen server says, all asked at once, and whether those that keep data belong together. */
export async function serverChecks(settings: PortSettings, topics: TopicDefaults): Promise<readonly Check[]> {
  const { bus, catalog, blobStore, vectorStore } = settings.adapters;
  const marks: FoundMarks = new Map();
  const checks = await Promise.all([
    ...(bus === 'kafka' ? [kafkaCheck(settings, topics)] : []),
    ...(settings.registry.url === '' ? [] : [registryCheck(settings)]),
    ...(catalog === 'postgres' ? [postgresCheck(settings, marks)] : []),
    ...(blobStore === 's3' ? [s3Check(settings, marks)] : []),
    ...(vectorStore === 'qdrant' ? [qdrantCheck(settings, marks)] : []),
  ]);
  return [...checks.flat(), ...installationCheck(marks)];
}

function kafkaCheck({ kafka }: PortSettings, defaults: TopicDefaults): Promise<readonly Check[]> {
  const name = 'kafka';
  const advice = `start it, or correct kafka.brokers (${kafka.brokers.join(', ')}), kafka.tls and kafka.sasl*`;
  return checked({ name, advice }, async () => {
    const connectTimeoutMs = Math.min(kafka.connectTimeoutMs, requestMs);
    const requestTimeoutMs = Math.min(kafka.requestTimeoutMs, requestMs);
    const server = await openKafka({ kafka: { ...kafka, connectTimeoutMs, requestTimeoutMs } });
    try {
      const brokers = await server.brokers();
      const there = new Set((await server.topics()).map((topic) => topic.name));
      const missing = topicSettings(pipeline, defaults).filter((topic) => !there.has(topic.name));
      const version = kafkaRelease(await server.features().catch(() => new Map<string, number>()));
      const found = `${version}; ${brokers.length} broker(s): ${brokers.join(', ')}; ${there.size} topics`;
      const made = missing.length === 0 ? '' : `, ${missing.length} more are made at the first start`;
      return [{ name, state: 'ok', detail: `${found}${made}` }];
    } finally {
      await server.close();
    }
  });
}

/** Levels of `metadata.version` with which releases began, newest first. */
const kafkaReleases: readonly (readonly [level: number, release: string])[] = [
  [26, '4.1 or newer'],
  [22, '4.0'],
  [21, '3.9'],
];

/** Brokers do not say their release, but what they support. */
function kafkaRelease(features: ReadonlyMap<string, number>): string {
  const level = features.get('metadata.version');
  if (level === undefined) return 'version not told';
  const [, release] = kafkaReleases.find(([first]) => level >= first) ?? [0, 'older than 3.9'];
  return `version ${release} (metadata.version ${level})`;
}

function registryCheck({ registry }: PortSettings): Promise<readonly Check[]> {
  const name = 'schema registry';
  const advice = 'start it, or correct registry.url and its user or token';
  return checked({ name, advice }, async () => {
    const timeoutMs = Math.min(registry.timeoutMs, requestMs);
    const where = async (): Promise<string> =>
      `${await registryVersion({ ...registry, timeoutMs })} at ${registry.url}`;
    try {
      await openCodec({ registry: { ...registry, timeoutMs, register: false } }).prepare();
    } catch (error) {
      // It answers, and lacks schemas: those that the start registers are not missed.
      if (!(error instanceof SluiceError) || error.code !== 'configuration-invalid') throw error;
      if (!registry.register) return [{ name, state: 'failed', detail: error.message }];
      return [{ name, state: 'ok', detail: `${await where()}; the start registers what it lacks` }];
    }
    const count = Object.keys(schemas).length;
    return [{ name, state: 'ok', detail: `${await where()}; all ${count} schemas are registered` }];
  });
}

function postgresCheck({ postgres }: PortSettings, marks: FoundMarks): Promise<readonly Check[]> {
  const name = 'postgres';
  const advice = 'start it, or correct postgres.url: host, port, user, password, database, sslmode';
  return checked({ name, advice }, async () => {
    const connectTimeoutMs = Math.min(postgres.connectTimeoutMs, requestMs);
    const found = await inspectPostgres({ postgres: { ...postgres, connectTimeoutMs } });
    const { version, release, mayCreateTables, applied, known, installationId } = found;
    const detail = `version ${version}; ${schemaState(applied, known)}`;
    if (release < oldestPostgres) {
      return [{ name, state: 'failed', detail, advice: `use PostgreSQL ${oldestPostgres} or newer` }];
    }
    marks.set('catalog', installationId);
    if (applied < known && !mayCreateTables) {
      const grant = 'let the user create tables: grant create on schema public to it';
      return [{ name, state: 'failed', detail: `${detail}, which the user may not make`, advice: grant }];
    }
    if (applied > known + 1) {
      return [{ name, state: 'failed', detail, advice: 'run the release that made it, or a newer one' }];
    }
    return [{ name, state: 'ok', detail }];
  });
}

function schemaState(applied: number, known: number): string {
  if (applied === 0) return 'the first start makes the tables';
  if (applied < known) return `the next start brings the tables from step ${applied} to ${known}`;
  return applied === known ? 'the tables are up to date' : `the tables are of a newer release (step ${applied})`;
}

function s3Check({ s3 }: PortSettings, marks: FoundMarks): Promise<readonly Check[]> {
  const advice = 'start it, or correct s3.endpoint, s3.bucket and the key';
  return checked({ name: 's3', advice }, async () => {
    const connectTimeoutMs = Math.min(s3.connectTimeoutMs, requestMs);
    const server = await openS3({ s3: { ...s3, connectTimeoutMs, maxAttempts: 1, createBucket: false } });
    try {
      const checks = await server.check(s3.createBucket);
      if (checks.some(({ name, state }) => name === 's3 permissions' && state === 'ok')) {
        marks.set('blob store', (await server.get(installationKey))?.toString('utf8').trim());
      }
      return checks.map((check) => (check.state === 'failed' ? { advice, ...check } : check));
    } finally {
      await server.close();
    }
  });
}

function qdrantCheck({ qdrant }: PortSettings, marks: FoundMarks): Promise<readonly Check[]> {
  const name = 'qdrant';
  const advice = 'start it, or correct qdrant.url and qdrant.apiKey';
  return checked({ name, advice }, async () => {
    const server = await openQdrant({
      qdrant: { ...qdrant, timeoutMs: Math.min(qdrant.timeoutMs, requestMs), maxAttempts: 1 },
    });
    try {
      const { version } = await server.check();
      marks.set('vector store', await server.installationId());
      return [{ name, state: 'ok', detail: `version ${version} at ${qdrant.url}` }];
    } finally {
      await server.close();
    }
  });
}
