import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sluiceAt } from '../cli/sluice-process.js';

const [, runtime = ''] = (await readFile('deploy/Dockerfile', 'utf8')).split(/^FROM .*$/m).slice(1);
const copied = [...runtime.matchAll(/^COPY --from=build \/build\/(\S+)/gm)].map((match) => match[1] ?? '');

/** What is packed, and what the image holds, is run as it is laid out there, beside the installed packages. */
describe('what is shipped', { timeout: 120_000 }, () => {
  let app: string;
  beforeEach(async () => {
    app = await mkdtemp(join(tmpdir(), 'sluice-image-'));
    await symlink(resolve('node_modules'), join(app, 'node_modules'));
  });
  afterEach(() => rm(app, { recursive: true, force: true }));

  const layOut = async (files: readonly string[]): Promise<void> => {
    for (const file of files) {
      await mkdir(dirname(join(app, file)), { recursive: true });
      await cp(file, join(app, file), { recursive: true });
    }
  };

  async function expectToRun(): Promise<void> {
    const run = (...args: string[]) => sluiceAt(join(app, 'dist/cli/main.js'), args, { cwd: app });
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect((await run('--version')).stdout.trim()).toBe(version);
    // It has read all of the server's code to say so.
    const worker = await run('worker', 'all');
    expect(worker.stderr).toContain('a worker shares its data with other processes');
    expect(worker.exitCode).not.toBe(0);
    // Every adapter is loaded, and finds nobody.
    const servers = ['bus=kafka', 'catalog=postgres', 'blob_store=s3', 'vector_store=qdrant'].map((choice) => {
      const [port = '', adapter = ''] = choice.split('=');
      return [`SLUICE_ADAPTERS_${port.toUpperCase()}`, adapter] as const;
    });
    const nobody = '127.0.0.1:1';
    const doctor = await sluiceAt(join(app, 'dist/cli/main.js'), ['doctor', '--json', '--url', `http://${nobody}`], {
      cwd: app,
      env: {
        ...(Object.fromEntries(servers) as Record<string, string>),
        SLUICE_KAFKA_BROKERS: `["${nobody}"]`,
        SLUICE_REGISTRY_URL: `http://${nobody}`,
        SLUICE_POSTGRES_URL: `postgres://sluice@${nobody}/sluice`,
        SLUICE_S3_ENDPOINT: `http://${nobody}`,
        SLUICE_S3_ACCESS_KEY_ID: 'a',
        SLUICE_S3_SECRET_ACCESS_KEY: 'b',
        SLUICE_QDRANT_URL: `http://${nobody}`,
      },
    });
    const { checks } = doctor.json() as { checks: { name: string; state: string; detail: string }[] };
    const failed = checks.filter(({ state }) => state === 'failed');
    expect(failed.map(({ name }) => name)).toEqual([
      ...['kafka', 'schema registry', 'postgres', 's3 server', 'qdrant', 'server'],
    ]);
    expect(failed.filter(({ detail }) => /cannot find (module|package)/i.test(detail))).toEqual([]);
  }

  it('runs from the files of the image', async () => {
    expect(copied).toContain('node_modules');
    await layOut(copied.filter((name) => name !== 'node_modules'));
    await expectToRun();
  });

  it('runs from the files of the package', async () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
    const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'deploy/profiles/servers.yaml']));
    expect(paths.filter((path) => /^(dist\/)?test\//.test(path))).toEqual([]);
    await layOut(paths);
    await expectToRun();
  });

  it('is built in the image from every folder that is compiled', async () => {
    const { include } = JSON.parse(await readFile('tsconfig.build.json', 'utf8')) as { include: string[] };
    const [build = ''] = (await readFile('deploy/Dockerfile', 'utf8')).split(/^FROM .*$/m).slice(1);
    const sources = [...build.matchAll(/^COPY (.+) \S+$/gm)].flatMap((match) => (match[1] ?? '').split(' '));
    expect(include.filter((name) => !name.startsWith('test/') && !sources.includes(name))).toEqual([]);
    expect(sources).toEqual(expect.arrayContaining(['build.mjs', 'tsconfig.json', 'package-lock.json']));
  });

  it('runs as a user without rights', () => {
    expect(runtime).toMatch(/^USER node$/m);
    expect(runtime).toMatch(/^ENTRYPOINT \["sluice"\]$/m);
  });
});
