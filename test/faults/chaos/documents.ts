import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { shuffled } from '../seeded.js';

export interface RealDocument {
  readonly id: string;
  readonly body: string;
  readonly contentType: string;
}

const maxBytes = 120_000;

const found = (patterns: readonly string[], cwd: string, contentType: string): readonly RealDocument[] =>
  globSync([...patterns], { cwd, absolute: true, followSymbolicLinks: false })
    .sort()
    .map((path) => ({ id: path.slice(cwd.length), body: readFileSync(path, 'utf8'), contentType }));

/**
 * So many documents that people wrote, by chance: the documentation of the installed packages and, on Debian, of the
 * system. The working directory is the project's. Equal texts are taken once, so that each answer has one source.
 */
export function realDocuments(count: number, random: () => number): readonly RealDocument[] {
  const packages = found(
    ['**/README.md', '**/CHANGELOG.md', 'fastify/docs/**/*.md'],
    `${process.cwd()}/node_modules/`,
    'text/markdown',
  );
  const system = found(['*/README*', '*/copyright', '*/NEWS*', '*/*.md'], '/usr/share/doc/', 'text/plain').filter(
    ({ id }) => !/\.(gz|html)$/.test(id),
  );
  const usable = [...packages, ...system].filter(
    ({ body }) => body.trim() !== '' && Buffer.byteLength(body) <= maxBytes && !body.includes('\u0000'),
  );
  const distinct = [...new Map(usable.map((document) => [document.body, document])).values()];
  if (distinct.length < count) throw new Error(`only ${distinct.length} real documents are there, ${count} are wanted`);
  return shuffled(random, distinct).slice(0, count);
}
