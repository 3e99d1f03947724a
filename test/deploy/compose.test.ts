import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { pipeline, workers } from '../../services/pipeline.js';
import { readConfiguration } from '../../services/settings.js';

interface Service {
  readonly image: string;
  readonly build?: { readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly configs: Readonly<Record<string, unknown>>;
}

const text = await readFile('docker-compose.yml', 'utf8');
const dockerfile = await readFile('deploy/Dockerfile', 'utf8');
/** `${NAME:-value}` as it is without a `.env` file. */
const compose = parse(text.replace(/\$\{\w+:-([^}]*)\}/g, '$1'), { merge: true }) as Compose;
const services = Object.entries(compose.services);
const own = services.filter(([, { build }]) => build !== undefined);
const servers = services.filter(([, { build }]) => build === undefined);

describe('docker-compose.yml', () => {
  it('runs a service per worker and the gateway, from one image of this release', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    const commands = Object.fromEntries(own.map(([name, { command }]) => [name, command]));
    const expected = Object.keys(workers).map((name) => [name, ['worker', name]]);
    expect(commands).toEqual({ gateway: ['gateway'], ...Object.fromEntries(expected) });
    expect(new Set(own.map(([, { image }]) => image))).toEqual(new Set([`sluice:${version}`]));
    expect(new Set(Object.values(workers).flat())).toEqual(new Set(pipeline));
  });

  it.each(own)('gives %s settings that are known and allowed, each server by the name it has here', (_, service) => {
    const { environment = {} } = service;
    const { section } = readConfiguration({ env: environment });
    expect(section('adapters')).toEqual({ bus: 'kafka', catalog: 'postgres', blobStore: 's3', vectorStore: 'qdrant' });
    const hosts = [
      ...section('kafka').brokers.map((broker) => broker.split(':')[0]),
      ...[section('registry').url, section('postgres').url, section('s3').endpoint, section('qdrant').url].map(
        (url) => new URL(url).hostname,
      ),
    ];
    expect(hosts.filter((host) => !Object.hasOwn(compose.services, host ?? ''))).toEqual([]);
    expect(Object.keys(service.depends_on ?? {}).sort()).toEqual(hosts.sort());
    expect(Object.values(service.depends_on ?? {}).every(({ condition }) => condition === 'service_healthy')).toBe(
      true,
    );
  });

  it('refuses a variable that is no setting', () => {
    const [, service] = own[0] ?? [];
    const env = { ...service?.environment, SLUICE_S3_BUKET: 'x' };
    expect(() => readConfiguration({ env })).toThrow('SLUICE_S3_BUCKET');
  });

  it('gives the stores the credentials, names and places that the servers are set up with', () => {
    const { section } = readConfiguration({ env: compose.services['librarian']?.environment ?? {} });
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = section('s3');
    expect(compose.services['garage']?.environment).toMatchObject({
      GARAGE_DEFAULT_ACCESS_KEY: accessKeyId,
      GARAGE_DEFAULT_SECRET_KEY: secretAccessKey,
      GARAGE_DEFAULT_BUCKET: bucket,
    });
    expect(text).toContain(`s3_region = "${region}"`);
    expect(text).toContain(`api_bind_addr = "[::]:${new URL(endpoint).port}"`);
    const { username, password, pathname } = new URL(section('postgres').url);
    expect(compose.services['postgres']?.environment).toMatchObject({
      POSTGRES_USER: username,
      POSTGRES_PASSWORD: password,
      POSTGRES_DB: pathname.slice(1),
    });
    expect(compose.services['kafka']?.environment?.['KAFKA_ADVERTISED_LISTENERS']).toContain(
      `INSIDE://${section('kafka').brokers[0] ?? ''},`,
    );
  });

  it.each(services)('pins %s, and knows whether it is well', (_, { image, build, healthcheck }) => {
    expect(image).toMatch(/^[a-z/-]+:v?\d+\.\d+(\.\d+)?$/);
    if (build === undefined) expect(healthcheck?.test[0]).toBe('CMD');
    else expect(healthcheck).toBeUndefined(); // the image's own is used
  });

  it('checks its own processes at the port where all of them answer', () => {
    expect(dockerfile).toContain('http://127.0.0.1:7300/healthz/ready');
    for (const [name, { environment = {} }] of own) {
      const { section } = readConfiguration({ env: environment });
      expect(name === 'gateway' ? section('gateway').port : section('worker').port).toBe(7300);
    }
  });

  it('is reached from this machine alone, and keeps what servers write in volumes', () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    expect(published.length).toBeGreaterThan(5);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    const used = servers.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]));
    expect(used.sort()).toEqual(Object.keys(compose.volumes).sort());
  });
});
