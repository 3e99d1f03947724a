import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discover } from '../../../cli/load/discover.js';
import { UsageError } from '../../../cli/usage-error.js';

describe('files named by arguments', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-discover-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  const write = async (...paths: string[]): Promise<void> => {
    for (const path of paths) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), path);
    }
  };
  const found = async (...paths: string[]): Promise<string[]> => {
    const all: string[] = [];
    for await (const one of discover(paths, folder)) {
      const path = relative(folder, one.path);
      all.push(one.kind === 'file' ? path : one.kind === 'skipped' ? `${path} (${one.what})` : `${path}!`);
    }
    return all;
  };

  it('walks a folder in order and says what it leaves out', async () => {
    await write('b.md', 'a/z.txt', 'a/y.html', 'a/photo.PNG', '.git/config', 'node_modules/x/readme.md', 'Makefile');
    expect(await found('.')).toEqual([
      '.git (hidden)',
      'Makefile (named Makefile)',
      'a/photo.PNG (.png)',
      'a/y.html',
      'a/z.txt',
      'b.md',
      'node_modules (node_modules)',
    ]);
  });

  it('takes what is named as such, whatever it is called', async () => {
    await write('.hidden/a.md', 'node_modules/x/readme.md', 'data.bin');
    expect(await found('.hidden', 'node_modules/x', 'data.bin')).toEqual([
      '.hidden/a.md',
      'node_modules/x/readme.md',
      'data.bin',
    ]);
  });

  it('gives a file once, however often it is named', async () => {
    await write('a/one.md', 'a/two.md');
    expect(await found('a', 'a/one.md', join(folder, 'a'))).toEqual(['a/one.md', 'a/two.md']);
  });

  it('reads a glob that the shell left alone', async () => {
    await write('docs/a.md', 'docs/deep/b.md', 'docs/c.json', 'docs/.draft/d.md', 'e.md');
    expect(await found('docs/**/*.md')).toEqual(['docs/a.md', 'docs/deep/b.md']);
    expect(await found('docs/*.json')).toContain('docs/c.json');
    expect(await found('docs/.draft/*.md')).toEqual(['docs/.draft/d.md']);
    expect(await found('{docs,x}/*.{md,json}')).toEqual(['docs/a.md', 'docs/c.json']);
  });

  it('takes a name with glob characters that exists for itself', async () => {
    await write('[draft] a.md', 'd.md');
    expect(await found('[draft] a.md')).toEqual(['[draft] a.md']);
  });

  it('follows links to files and not to folders', async () => {
    await write('real/a.md');
    await symlink(join(folder, 'real/a.md'), join(folder, 'real/b.md'));
    await symlink(folder, join(folder, 'real/loop'));
    await symlink(join(folder, 'gone.md'), join(folder, 'real/dangling.md'));
    expect(await found('real')).toEqual([
      'real/a.md',
      'real/b.md',
      'real/dangling.md!',
      'real/loop (link to a folder)',
    ]);
  });

  it('gives nothing at all if one argument names nothing', async () => {
    await write('a.md');
    await expect(found('a.md', 'missing')).rejects.toThrow(UsageError);
    await expect(found('missing/*.md')).rejects.toThrow(/missing/);
  });
});
