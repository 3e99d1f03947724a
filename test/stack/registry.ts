import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort, installFolder, run, startNativeServer, type NativeServer } from './native-server.js';

const version = '3.3.3';
const artifact = `io.apicurio:apicurio-registry-app:${version}:tar.gz:all`;

export async function installRegistry(): Promise<string> {
  const folder = join(installFolder(), `apicurio-${version}`);
  if (existsSync(join(folder, 'complete'))) return folder;
  await mkdir(folder, { recursive: true });
  await run('mvn', ['-B', '-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], {
    cwd: folder,
  });
  await run('tar', ['xzf', join(folder, `apicurio-registry-app-${version}-all.tar.gz`), '-C', folder]);
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
export async function startRegistry(data: string): Promise<NativeServer> {
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
