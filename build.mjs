// Compiles to dist/, incrementally: an unchanged tree costs about a second. What has no source any more is removed. Beside
// the code lies an empty catalog, from which new data folders are made.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const dist = 'dist';
if (existsSync(dist)) {
  for (const name of readdirSync(dist, { recursive: true })) {
    const [, base] = /^(.+?)(?:\.d\.ts|\.js|\.js\.map)$/.exec(name) ?? [];
    if (base !== undefined && !existsSync(`${base}.ts`)) rmSync(path.join(dist, name));
  }
}
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
const { createCluster, emptyCluster } = await import('./dist/services/ports/catalog/pglite/create-cluster.js');
await createCluster(emptyCluster);
