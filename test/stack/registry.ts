import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inContainers, startContainer } from './container-server.js';
import { freePort, installFolder, run, startNativeServer } from './native-server.js';
import type { RealServer } from './real-server.js';

export const registryVersion = '3.3.3';
const artifact = `io.apicurio:apicurio-registry-app:${registryVersion}:tar.gz:all`;

export async function installRegistry(): Promise<string> {
  const folder = join(installFolder(), `apicurio-${registryVersion}`);
  if (existsSync(join(folder, 'complete'))) return folder;
  await mkdir(folder, { recursive: true });
  await run('mvn', ['-B', '-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], {
    cwd: folder,
  });
  await run('tar', ['xzf', join(folder, `apicurio-registry-app-${registryVersion}-all.tar.gz`), '-C', folder]);
  await writeFile(join(folder, 'complete'), '');
  return folder;
}

/** A Java of release 21 or newer: the registry's class files ask for it. */
async function java21(): Promise<string> {
  const java = (await run('readlink', ['-f', (await run('which', ['java'])).trim()])).trim();
  const siblings = dirname(dirname(dirname(java)));
  const candidates = ['java', ...(await readdir(siblings)).map((name) => join(siblings, name, 'bin', 'java'))];
  for (const candidate of candidates) {
    if (candidate !== 'java' && !existsSync(candidate)) continue;
    if (/"(2[1-9]|[3-9]\d)/.test(await run(candidate, ['-version']).catch(() => ''))) return candidate;
  }
  throw new Error('the schema registry needs Java 21 or newer');
}

/** Apicurio Registry, which speaks Confluent's API; the URL is that API's. Schemas live in its memory. */
export async function startRegistry(data: string): Promise<RealServer> {
  if (inContainers()) return registryContainer();
  const folder = await installRegistry();
  const [port, managementPort] = [await freePort(), await freePort()];
  await mkdir(data, { recursive: true });
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const settings = {
    'java.io.tmpdir': data,
    'quarkus.http.host': '127.0.0.1',
    'quarkus.http.port': port,
    'quarkus.management.host': '127.0.0.1',
    'quarkus.management.port': managementPort,
    'apicurio.storage.snapshot.location': data,
    'apicurio.storage.kind': 'sql',
    'apicurio.storage.sql.kind': 'h2',
    'apicurio.datasource.url': `jdbc:h2:file:${data}/registry`,
    'apicurio.rules.global.compatibility': 'FULL_TRANSITIVE',
  };
  return startNativeServer({
    name: 'Apicurio Registry',
    url,
    command: await java21(),
    args: [
      ...['-Xms64m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
      ...Object.entries(settings).map(([name, value]) => `-D${name}=${value}`),
      ...['-jar', join(folder, 'quarkus-run.jar')],
    ],
    healthy: async () => (await fetch(`${url}/subjects`)).ok,
    timeoutMs: 90_000,
  });
}

async function registryContainer(): Promise<RealServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  return startContainer({
    service: 'registry',
    url,
    ports: [{ host: port, container: 8080 }],
    environment: {
      APICURIO_STORAGE_KIND: 'sql',
      APICURIO_STORAGE_SQL_KIND: 'h2',
      APICURIO_DATASOURCE_URL: 'jdbc:h2:file:/tmp/registry',
      APICURIO_RULES_GLOBAL_COMPATIBILITY: 'FULL_TRANSITIVE',
    },
    healthy: async () => (await fetch(`${url}/subjects`)).ok,
  });
}
