import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';

export interface BenchDocument {
  readonly id: string;
  readonly body: string;
}

const patterns = ['node_modules/**/README.md', 'node_modules/**/CHANGELOG.md', 'node_modules/fastify/docs/**/*.md'];

/**
 * The documentation of the installed packages, in the order of its paths: real Markdown by many hands.
 * The working directory is the project's. The environment
 * variable BENCH_DOCUMENTS says how many at most.
 */
export const packageDocuments = (): readonly BenchDocument[] =>
  globSync(patterns, { cwd: process.cwd() })
    .sort()
    .slice(0, Number(process.env['BENCH_DOCUMENTS'] ?? 1000))
    .map((id) => ({ id, body: readFileSync(id, 'utf8') }));
