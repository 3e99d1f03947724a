import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The documentation that comes with an installed package: real Markdown, some 40 files. */
export const fastifyDocs = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('fastify/package.json')), 'docs');
