import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, installFolder, run, startNativeServer, type NativeServer } from './native-server.js';

const version = 'v1.8.0';

/** What the server asks for. */
export const s3Credentials = { accessKeyId: 'sluice', secretAccessKey: 'sluice-secret', region: 'us-east-1' } as const;

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
export async function startS3(data: string): Promise<NativeServer> {
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
      ...['--port', `127.0.0.1:${port}`, '--region', s3Credentials.region, '--quiet'],
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
