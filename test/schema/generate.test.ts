import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const node = (cwd: string, ...args: string[]) => spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
const released = async (folder: string) => await readFile(path.join(folder, 'schema/released.ts'), 'utf8');

describe('generated schemas', () => {
  it('are committed as they are generated', () => {
    expect(node(root, 'schema/generate.mjs', '--check')).toMatchObject({ status: 0, stderr: '' });
  });
});

// Each step is a process that formats what it writes.
describe('a release', { timeout: 240_000 }, () => {
  let folder: string;
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  const change = async (edit: (text: string) => string): Promise<void> => {
    const file = path.join(folder, 'schema/messages/purge.avsc');
    await writeFile(file, edit(await readFile(file, 'utf8')));
  };
  const commit = (): void => {
    git('add', '.');
    git('commit', '-qm', 'Change');
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-release-'));
    await cp(path.join(root, 'schema'), path.join(folder, 'schema'), { recursive: true });
    await rm(path.join(folder, 'schema/released'), { recursive: true, force: true });
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', version: '7.0.0' }));
    await writeFile(path.join(folder, '.prettierrc.json'), JSON.stringify({ printWidth: 120, singleQuote: true }));
    await writeFile(path.join(folder, '.gitignore'), 'node_modules\n');
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    const { status } = node(folder, 'schema/generate.mjs');
    expect(status).toBe(0);
    git('init', '-q');
    commit();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is recorded with the commit it was made from, once, and from committed schemas alone', async () => {
    await writeFile(path.join(folder, 'schema/stray.ts'), '');
    expect(node(folder, 'schema/release.mjs').stderr).toContain('not committed');
    await rm(path.join(folder, 'schema/stray.ts'));
    expect(node(folder, 'schema/release.mjs')).toMatchObject({ status: 0 });
    const release = JSON.parse(
      await readFile(path.join(folder, 'schema/released/7.0.0/release.json'), 'utf8'),
    ) as unknown;
    expect(release).toEqual({ version: '7.0.0', commit: git('rev-parse', 'HEAD').trim() });
    expect(node(folder, 'schema/release.mjs').stderr).toContain('raise the version');
  });

  it('adds nothing to the build while its schemas are today’s, and its own once they differ', async () => {
    node(folder, 'schema/release.mjs');
    await change((text) => text.replace('"doc": "', '"doc": "Reworded. '));
    node(folder, 'schema/generate.mjs');
    expect(await released(folder)).toContain('= [];');
    await change((text) =>
      text.replace('"fields": [', '"fields": [{ "name": "why", "type": "string", "default": "" },'),
    );
    expect(node(folder, 'schema/generate.mjs', '--check').stderr).toContain('npm run generate');
    node(folder, 'schema/generate.mjs');
    expect(await released(folder)).toContain("name: 'Purge'");
    expect(await released(folder)).not.toContain("'why'");
  });
});
