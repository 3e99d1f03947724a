import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCluster, emptyCluster } from '../../../../services/ports/catalog/pglite/create-cluster.js';

describe('making a cluster', () => {
  let parent: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'sluice-cluster-'));
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('leaves a whole folder, nothing of earlier attempts, and no memory behind', async () => {
    const folder = join(parent, 'catalog');
    await mkdir(`${folder}.unfinished-cut-short`);
    const before = process.memoryUsage.rss();
    await createCluster(folder);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100e6);
    expect(await readdir(parent)).toEqual(['catalog']);
    expect(await readdir(folder)).toEqual(await readdir(emptyCluster));
    expect(existsSync(join(folder, 'PG_VERSION'))).toBe(true);
  }, 120_000);
});
