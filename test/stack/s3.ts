import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { inContainers, startContainer } from './container-server.js';
import { freePort, installFolder, run, startNativeServer } from './native-server.js';
import type { RealServer } from './real-server.js';

const version = 'v1.8.0';

/** What the server asks for. The form is Garage's, which takes no other. */
export const s3Credentials = {
  accessKeyId: `GK${'51a1ce'.padEnd(32, '0')}`,
  secretAccessKey: '51a1ce'.padEnd(64, '0'),
  region: 'us-east-1',
} as const;

export async function installS3(): Promise<string> {
  const folder = installFolder();
  const program = join(folder, `versitygw-${version}`);
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  await run('go', ['install', '-trimpath', `github.com/versity/versitygw/cmd/versitygw@${version}`], {
    env: { ...process.env, CGO_ENABLED: '0', GOBIN: folder },
  });
  await rename(join(folder, 'versitygw'), program);
  return program;
}

/** An S3 server over a folder; buckets are its subfolders, and `sluice` is one. */
export async function startS3(data: string): Promise<RealServer> {
  if (inContainers()) return garageContainer();
  const program = await installS3();
  const port = await freePort();
  const sidecar = join(data, 'metadata');
  await mkdir(join(data, 'buckets', 'sluice'), { recursive: true });
  await mkdir(sidecar, { recursive: true });
  return startNativeServer({
    name: 'S3',
    url: `http://127.0.0.1:${port}`,
    command: program,
    args: [
      ...['--port', `127.0.0.1:${port}`, '--region', s3Credentials.region, '--quiet', '--keep-alive'],
      ...['posix', '--sidecar', sidecar, join(data, 'buckets')],
    ],
    options: {
      env: {
        ...process.env,
        ROOT_ACCESS_KEY_ID: s3Credentials.accessKeyId,
        ROOT_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
      },
    },
    healthy: async () => (await fetch(`http://127.0.0.1:${port}/`)).status > 0,
  });
}

const garageSettings = `metadata_dir = "/var/lib/garage/meta"
data_dir = "/var/lib/garage/data"
db_engine = "sqlite"
replication_factor = 1
rpc_bind_addr = "[::]:3901"
rpc_public_addr = "127.0.0.1:3901"
rpc_secret = "${'51a1ce'.padEnd(64, '1')}"
[s3_api]
s3_region = "${s3Credentials.region}"
api_bind_addr = "[::]:3900"
`;

async function garageContainer(): Promise<RealServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  return startContainer({
    service: 'garage',
    url,
    ports: [{ host: port, container: 3900 }],
    environment: {
      GARAGE_DEFAULT_ACCESS_KEY: s3Credentials.accessKeyId,
      GARAGE_DEFAULT_SECRET_KEY: s3Credentials.secretAccessKey,
      GARAGE_DEFAULT_BUCKET: 'sluice',
    },
    files: { '/etc/garage.toml': garageSettings },
    command: ['/garage', 'server', '--single-node', '--default-bucket'],
    healthy: async () => (await fetch(url)).status > 0,
  });
}
