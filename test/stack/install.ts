import { inContainers } from './container-server.js';
import { installEmbeddings } from './embeddings.js';
import { installKafka } from './kafka.js';
import { installPostgres } from './postgres.js';
import { installQdrant } from './qdrant.js';
import { installRegistry } from './registry.js';
import { installS3 } from './s3.js';

const containers = { installPostgres, installKafka, installRegistry, installQdrant, installS3 };
const servers = { installEmbeddings, ...(inContainers() ? {} : containers) };

/**
 * Installs the servers that tests start as processes, once and before any test, so that no two files install the same. What cannot be
 * installed fails here in CI; elsewhere the tests that need it are skipped and say so.
 */
export default async function setup(): Promise<void> {
  for (const [name, install] of Object.entries(servers)) {
    const began = Date.now();
    try {
      await install();
    } catch (error) {
      if (process.env['CI'] !== undefined) throw error;
      continue;
    }
    const seconds = Math.round((Date.now() - began) / 1000);
    if (seconds > 5) process.stderr.write(`${name} took ${seconds} s\n`);
  }
}
